import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { decoded, differences, normalised } from "./encoding.ts";
import { EXCEPTING_DECISIONS, EXCEPTIONS, type VectorException } from "./vector-exceptions.ts";
import { FUNCTIONS, SHAPES } from "./vector-shapes.ts";

const folder = join(import.meta.dirname, "../../../fixtures/steward");

const VectorFile = z.object({
  caseCount: z.int(),
  cases: z.array(z.object({ name: z.string(), args: z.array(z.unknown()), expected: z.unknown() })),
});
type Case = z.infer<typeof VectorFile>["cases"][number];

const files = readdirSync(folder).filter((file) => file.endsWith(".json"));
const casesOf = (file: string): Case[] =>
  VectorFile.parse(JSON.parse(readFileSync(join(folder, file), "utf8"))).cases;

const nameOf = (file: string): string => file.replace(/(?:\.later)?\.json$/, "");

/** A file of later rules pins the repair under the same name, so there it counts. */
const pinsFault = (file: string, { name }: Case): boolean =>
  name.includes("0.19.0 fault") && !file.endsWith(".later.json");

function ours(file: string, { args }: Case): unknown {
  const call = Object.entries(FUNCTIONS).find(([name]) => name === nameOf(file))?.[1];
  if (!call) throw new Error(`no function for ${file}`);
  const result = normalised(Reflect.apply(call, undefined, z.array(z.unknown()).parse(decoded(args))));
  const shape = SHAPES[nameOf(file)];
  return shape && result !== null ? normalised(shape(result)) : result;
}

const exceptionOf = (file: string, { name }: Case): VectorException | undefined =>
  EXCEPTIONS.find((exception) => exception.file === file && exception.cases.includes(name));

const counts = { ran: 0, excepted: 0, skipped: 0 };
const byDecision: Record<string, number> = {};

describe("the rules give what the vectors say", () => {
  test.each(files)("%s", (file) => {
    const failures: unknown[] = [];
    for (const one of casesOf(file)) {
      if (pinsFault(file, one)) {
        counts.skipped += 1;
        continue;
      }
      const exception = exceptionOf(file, one);
      counts[exception ? "excepted" : "ran"] += 1;
      if (exception) {
        const key = `decision ${exception.decision}`;
        byDecision[key] = (byDecision[key] ?? 0) + 1;
      }
      // An excepted case must differ, and in nothing but what the table says.
      const found = differences(ours(file, one), one.expected);
      const stated = exception?.gives ?? {};
      const same =
        JSON.stringify(Object.entries(found).sort()) === JSON.stringify(Object.entries(stated).sort());
      if (!same || (exception && Object.keys(found).length === 0)) {
        failures.push({ case: one.name, differs: found, ...(exception && { stated }) });
      }
    }
    expect(failures).toEqual([]);
  });

  afterAll(() => {
    const reasons = Object.entries(byDecision).map(([key, count]) => `${key}: ${count}`);
    process.stdout.write(
      `steward vectors: ${counts.ran} ran, ${counts.skipped} skipped (faults of 0.19.0), ` +
        `${counts.excepted} excepted (${reasons.join(", ")})\n`,
    );
  });
});

describe("the table of exceptions", () => {
  test("names cases that there are, once each, and none that is skipped", () => {
    const named = EXCEPTIONS.flatMap(({ file, cases }) => cases.map((name) => `${file}: ${name}`));
    const there = new Set(
      [...new Set(EXCEPTIONS.map(({ file }) => file))].flatMap((file) =>
        casesOf(file)
          .filter((one) => !pinsFault(file, one))
          .map(({ name }) => `${file}: ${name}`),
      ),
    );
    expect(named.filter((name) => !there.has(name))).toEqual([]);
    expect(new Set(named).size).toBe(named.length);
  });

  test("has the decision of each, and a value", () => {
    const wrong = EXCEPTIONS.filter(
      ({ decision, gives }) => !EXCEPTING_DECISIONS.includes(decision) || Object.keys(gives).length === 0,
    );
    expect(wrong).toEqual([]);
  });
});

describe("the vector files", () => {
  test("have a function each, and every function has a file", () => {
    expect([...new Set(files.map(nameOf))].sort()).toEqual(Object.keys(FUNCTIONS).sort());
  });

  test("have as many cases as they say, each with a name of its own", () => {
    for (const file of files) {
      const { caseCount, cases } = VectorFile.parse(JSON.parse(readFileSync(join(folder, file), "utf8")));
      expect([file, cases.length]).toEqual([file, caseCount]);
      expect([file, new Set(cases.map(({ name }) => name)).size]).toEqual([file, caseCount]);
    }
  });
});
