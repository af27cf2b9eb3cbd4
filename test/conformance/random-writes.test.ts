import { GetCommand, PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import * as fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  conditionExpressions,
  updateExpressions,
  type Clause,
  type ConditionalWrite,
} from "../../lib/core/conditional-write.ts";
import { outcomeOf, startTwoEngines } from "./two-engines.ts";

/*
 * Random sequences of writes on one row, asked of the embedded engine and of the memory engine. Both must answer the
 * same, attribute for attribute; a failure prints the seed and the shortest sequence.
 */

let engines: Awaited<ReturnType<typeof startTwoEngines>>;
beforeAll(async () => {
  engines = await startTwoEngines();
});
afterAll(() => engines.stop());

const RUNS = Number(process.env["CONFORMANCE_RUNS"] ?? 250);

// Where the embedded engine itself is not DynamoDB, nothing is asked: it orders texts by UTF-16 units, not by UTF-8
// bytes, and takes an empty text for none in IN.
const text = fc.constantFrom("a", "b", "running", "é", "🎉");
const number = fc.integer({ min: -2, max: 4 });
const scalar = fc.oneof(text, number);
const members = fc
  .uniqueArray(fc.constantFrom("r1", "r2", "r3"), { minLength: 1 })
  .map((list) => new Set(list));
const list = fc.array(text, { maxLength: 3 });
const map = fc.record({ x: scalar, y: scalar, deep: fc.record({ z: scalar }) }, { requiredKeys: [] });

/** Attributes by what they mostly hold; `odd` changes its type. */
const path = fc.constantFrom("t", "n", "s", "l", "m", "m.x", "m.deep.z", "odd", "nowhere.x");

const simple: fc.Arbitrary<Clause> = fc.oneof(
  fc.record({ path, is: fc.constantFrom("=", "<>", "<", "<="), value: scalar }) as fc.Arbitrary<Clause>,
  fc.record({ path, is: fc.constantFrom("exists", "absent") }) as fc.Arbitrary<Clause>,
  fc.record({
    path: fc.constantFrom("s", "l", "t"),
    is: fc.constantFrom("contains", "lacks"),
    value: fc.constantFrom("r1", "r2", "a"),
  }) as fc.Arbitrary<Clause>,
  fc.record({
    path: fc.constantFrom("s", "l", "m"),
    is: fc.constantFrom("size<", "size>="),
    value: fc.integer({ min: 0, max: 3 }),
  }) as fc.Arbitrary<Clause>,
  fc.record({ path, is: fc.constant("in"), values: fc.array(scalar, { minLength: 1, maxLength: 3 }) }),
);
const clause: fc.Arbitrary<Clause> = fc.oneof(
  { weight: 5, arbitrary: simple },
  {
    weight: 1,
    arbitrary: fc.record({
      any: fc.array(fc.array(simple, { minLength: 1, maxLength: 2 }), { minLength: 1, maxLength: 3 }),
    }),
  },
);

/** What becomes of one attribute; at most one change each, since paths may not overlap. */
const changes = fc.record(
  {
    t: fc.oneof(fc.record({ set: text }), fc.constant({ remove: true }), fc.record({ setOnce: text })),
    n: fc.oneof(
      fc.record({ set: number }),
      fc.record({ add: number }),
      fc.constant({ remove: true }),
      fc.record({ setOnce: number }),
    ),
    s: fc.oneof(
      fc.record({ set: members }),
      fc.record({ add: members }),
      fc.record({ drop: members }),
      fc.constant({ remove: true }),
    ),
    l: fc.record({ set: list }),
    odd: fc.oneof(
      fc.record({ set: fc.oneof(scalar, members, list, map) }),
      fc.record({ add: fc.oneof(number, members) }),
      fc.record({ drop: members }),
    ),
    m: fc.oneof(fc.record({ set: map }), fc.constant({ remove: true })),
    "m.x": fc.oneof(fc.record({ set: scalar }), fc.record({ add: number }), fc.constant({ remove: true })),
    "m.deep.z": fc.oneof(fc.record({ set: scalar }), fc.constant({ remove: true })),
  },
  { requiredKeys: [] },
);

type Changes = Record<
  string,
  { set?: unknown; setOnce?: unknown; add?: never; drop?: never; remove?: boolean }
>;

const write = fc
  .record({ changes, when: fc.array(clause, { maxLength: 3 }) })
  .map(({ changes, when }): ConditionalWrite => {
    const all = Object.entries(changes as Changes).filter(
      ([name]) => !("m" in changes && name.startsWith("m.")),
    );
    const having = (kind: "set" | "setOnce" | "add" | "drop") =>
      Object.fromEntries(all.filter(([, one]) => kind in one).map(([name, one]) => [name, one[kind]]));
    return {
      name: "random",
      set: having("set"),
      setOnce: having("setOnce"),
      add: having("add") as Record<string, number>,
      drop: having("drop") as Record<string, ReadonlySet<string>>,
      remove: all.filter(([, one]) => one.remove).map(([name]) => name),
      when,
    };
  });

let rows = 0;

test("the memory engine answers random conditional writes as the embedded engine does", async () => {
  const steps = fc.array(
    fc.oneof(
      { weight: 6, arbitrary: write.map((update) => ({ update })) },
      { weight: 1, arbitrary: fc.array(clause, { maxLength: 2 }).map((when) => ({ put: when })) },
    ),
    { minLength: 1, maxLength: 8 },
  );
  await fc.assert(
    fc.asyncProperty(steps, async (sequence) => {
      const lane = `random#${++rows}`;
      const { embedded, memory } = await engines.ask(async (doc, { lanes: TableName }) => {
        const answers: unknown[] = [];
        for (const step of sequence) {
          const command =
            "update" in step
              ? new UpdateCommand({
                  TableName,
                  Key: { lane },
                  ...updateExpressions(step.update),
                  ReturnValues: "ALL_NEW",
                })
              : new PutCommand({
                  TableName,
                  Item: { lane, t: "put", n: 1, m: { x: 1 } },
                  ...conditionExpressions(step.put),
                });
          answers.push(await outcomeOf(() => doc.send(command as UpdateCommand)));
        }
        answers.push(await doc.send(new GetCommand({ TableName, Key: { lane }, ConsistentRead: true })));
        return answers;
      });
      expect(memory).toEqual(embedded);
    }),
    { numRuns: RUNS },
  );
});
