import { readFileSync } from "node:fs";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileWorkflow } from "../../../lib/workflows/compile.ts";
import { EXAMPLE_TITLES, libraryOf } from "../../support/workflow-lookup.ts";

const EXAMPLES = new URL("../../fixtures/examples/workflows/", import.meta.url);
const held = readFileSync(new URL("1-memo-drafting.md", EXAMPLES), "utf8");
const judged = readFileSync(new URL("3-inbox-triage.md", EXAMPLES), "utf8");

/** SEEDS=5000 runs them all; fast-check prints the seed of a failure. */
const SEEDS = Number(process.env["SEEDS"] ?? 500);
/** Thousands of compiles: minutes on a busy machine. */
const TIMEOUT_MS = 600_000;

const LIBRARY = libraryOf(EXAMPLE_TITLES);

async function approvalOf(body: string) {
  const source = { memoId: "W-1", contentVersion: 1, contentHash: "sha256:x", body, title: "One title" };
  const compiled = await compileWorkflow(source, LIBRARY, 0);
  return compiled.ok ? compiled.manifest.policy.approval : "error";
}

type Edit = (text: string) => string;

const inText = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const characters = fc.oneof(
  fc.constantFrom(..."*_`-+#>[]|<!&\\:;.,~=\n\t \u00A0\u200B\u202E01aeuhold".split("")),
  fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
);

/** A place in the text; every second one is near the Approval, where it matters. */
const place = fc.tuple(fc.boolean(), inText).map(([near, at]) => (text: string): number => {
  const approval = text.indexOf("- **Approval**");
  if (!near || approval === -1) return Math.floor(at * text.length);
  return Math.max(0, approval - 20) + Math.floor(at * 80);
});

const lineOf = (text: string, at: number): [before: string[], line: string, after: string[]] => {
  const index = text.slice(0, at).split("\n").length - 1;
  const lines = text.split("\n");
  return [lines.slice(0, index), lines[index] ?? "", lines.slice(index + 1)];
};

const ofLine = (change: (line: string) => string) =>
  place.map((placeIn): Edit => (text) => {
    const [before, line, after] = lineOf(text, placeIn(text));
    return [...before, change(line), ...after].join("\n");
  });

const edit: fc.Arbitrary<Edit> = fc.oneof(
  fc.tuple(place, characters).map(([placeIn, put]): Edit => (text) => {
    const at = placeIn(text);
    return text.slice(0, at) + put + text.slice(at);
  }),
  place.map((placeIn): Edit => (text) => {
    const at = placeIn(text);
    return text.slice(0, at) + text.slice(at + 1);
  }),
  place.map((placeIn): Edit => (text) => {
    const at = placeIn(text);
    return text.slice(0, at) + (text[at + 1] ?? "") + (text[at] ?? "") + text.slice(at + 2);
  }),
  fc.tuple(place, inText).map(([placeIn, to]): Edit => (text) => {
    const [before, line, after] = lineOf(text, placeIn(text));
    const others = [...before, ...after];
    return others.toSpliced(Math.floor(to * others.length), 0, line).join("\n");
  }),
  fc
    .constantFrom("*", "+", "1.", "1)", "•", "")
    .chain((bullet) => ofLine((line) => line.replace("-", bullet))),
  ofLine((line) => line.toUpperCase()),
  ofLine((line) => line.toLowerCase()),
  fc
    .constantFrom("", "``", "'", "**", "\\`", "´")
    .chain((tick) => ofLine((line) => line.replaceAll("`", tick))),
  ofLine((line) => line.replace("`", "")),
  ofLine((line) => line.replaceAll("**", "")),
  ofLine((line) => `    ${line}`),
);

/** How often a text says `auto`, in any case. */
const autos = (text: string): number => text.split(/auto/i).length - 1;

describe("one edit of a workflow", () => {
  it(
    "that holds leaves an error or a hold",
    async () => {
      await fc.assert(
        fc.asyncProperty(edit, async (change) => {
          const changed = change(held);
          fc.pre(autos(changed) === 0);
          expect(["error", { mode: "hold", unless: null }]).toContainEqual(await approvalOf(changed));
        }),
        { numRuns: SEEDS },
      );
    },
    TIMEOUT_MS,
  );

  const CLAUSE = "unless `steps.judge.confidence` below `0.7`";

  it.each([
    ["a line of its own", `\n  ${CLAUSE}`],
    ["a line of its own without an indent", `\n${CLAUSE}`],
    ["a paragraph of its own", `\n\n  ${CLAUSE}`],
    ["a bullet of its own", `\n  - ${CLAUSE}`],
    ["two lines", "\n  unless `steps.judge.confidence`\n  below `0.7`"],
  ])(
    "that approves by itself unless in doubt, the clause on %s, leaves an error, a hold, or a doubt",
    async (_, clause) => {
      const wrapped = judged.replace(` ${CLAUSE}`, clause);
      const [, place = ""] = wrapped.split("**Approval** `auto`");
      const isClause = (line: string): boolean => /unless|below `0\.7`/.test(line) && place.includes(line);
      await fc.assert(
        fc.asyncProperty(edit, async (change) => {
          const changed = change(wrapped);
          // Whoever moves the clause out of Policy has taken it away, not written it in another form.
          const policy = changed.slice(changed.search(/^.{0,2}## ?Policy/im));
          fc.pre(
            wrapped
              .split("\n")
              .every((line) => !isClause(line) || changed.includes(line) === policy.includes(line)),
          );
          const approval = await approvalOf(changed);
          const open = approval !== "error" && approval.mode === "auto" && approval.unless === null;
          expect(open ? changed : "closed").toBe("closed");
        }),
        { numRuns: SEEDS },
      );
    },
    TIMEOUT_MS,
  );

  it(
    "that approves by itself unless in doubt leaves an error, a hold, or a doubt",
    async () => {
      await fc.assert(
        fc.asyncProperty(edit, async (change) => {
          const approval = await approvalOf(change(judged));
          const open = approval !== "error" && approval.mode === "auto" && approval.unless === null;
          expect(open).toBe(false);
        }),
        { numRuns: Math.ceil(SEEDS / 2) },
      );
    },
    TIMEOUT_MS,
  );
});
