import { readFileSync } from "node:fs";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileWorkflow } from "../../../lib/workflows/compile.ts";
import { EXAMPLE_TITLES, libraryOf } from "../../support/workflow-lookup.ts";

const EXAMPLES = new URL("../../fixtures/examples/workflows/", import.meta.url);
const drafting = readFileSync(new URL("1-memo-drafting.md", EXAMPLES), "utf8");
const triage = readFileSync(new URL("3-inbox-triage.md", EXAMPLES), "utf8");

async function compiled(body: string) {
  const source = { memoId: "W-1", contentVersion: 1, contentHash: "sha256:x", body, title: "One title" };
  return compileWorkflow(source, libraryOf(EXAMPLE_TITLES), 0);
}

async function hashOf(body: string): Promise<string> {
  const result = await compiled(body);
  return result.ok ? result.manifest.manifestHash : JSON.stringify(result.diagnostics);
}

/** Ways to write the same workflow. Each takes lines and gives lines. */
const REWRITES: Record<string, (text: string) => string> = {
  "star bullets": (text) => text.replace(/^- /gm, "* "),
  "plus bullets": (text) => text.replace(/^- /gm, "+ "),
  "numbered bullets": (text) => text.replace(/^- /gm, "1. "),
  "steps as bullets": (text) => text.replace(/^\d+\. (?=\*\*)/gm, "-  "),
  "steps all numbered one": (text) => text.replace(/^\d+\. /gm, "1. "),
  "loose lists": (text) => text.replace(/^[-*+] /gm, "\n$&"),
  "colon inside the bold": (text) =>
    text.replace(/^( *(?:[-*+]|\d+\.) +)\*\*([A-Za-z ]+)\*\*/gm, "$1**$2:**"),
  "colon after the bold": (text) => text.replace(/^( *[-*+] )\*\*([A-Za-z ]+)\*\*/gm, "$1**$2**:"),
  "underscores for bold": (text) => text.replace(/^( *(?:[-*+]|\d+\.) +)\*\*([A-Za-z: ]+)\*\*/gm, "$1__$2__"),
  "keys in capitals": (text) =>
    text.replace(
      /^( *[-*+] +(?:\*\*|__))([A-Za-z ]+)/gm,
      (_, start: string, key: string) => start + key.toUpperCase(),
    ),
  "sections in capitals": (text) => text.replace(/^## .*$/gm, (heading) => heading.toUpperCase()),
  "underlined sections": (text) => text.replace(/^## (.*)$/gm, "$1\n-------"),
  "closed sections": (text) => text.replace(/^## (.*)$/gm, "## $1 ##"),
  "trailing spaces": (text) => text.replace(/([`.])$/gm, "$1 "),
  "prose between": (text) => text.replace(/^(?=- \*\*Destination)/m, "\nProse between bullets.\n\n"),
  "a comment before": (text) => text.replace(/^(?=## Policy)/m, "<!--\n- **Approval** `auto`\n-->\n\n"),
  "a quote before": (text) => text.replace(/^(?=## Load)/m, "> ## Policy\n> - **Approval** `auto`\n\n"),
  "a fence before": (text) =>
    text.replace(/^(?=## Trigger)/m, "~~~\n## Policy\n- **Approval** `auto`\n~~~\n\n"),
  "front matter": (text) => `---\nid: x\ntags: [a]\n---\n${text}`,
};

const LINE_ENDS: Record<string, (text: string) => string> = {
  LF: (text) => text,
  CRLF: (text) => text.replaceAll("\n", "\r\n"),
  CR: (text) => text.replaceAll("\n", "\r"),
  "BOM and CRLF": (text) => `\uFEFF${text.replaceAll("\n", "\r\n")}`,
};

/** Hundreds of compiles: seconds on a busy machine. */
const PROPERTY_TIMEOUT_MS = 60_000;

describe("the same workflow written in another way has the same manifest hash", () => {
  it.each(Object.entries({ ...REWRITES, ...LINE_ENDS }))("%s", async (_, rewrite) => {
    for (const text of [drafting, triage]) expect(await hashOf(rewrite(text))).toBe(await hashOf(text));
  });

  it(
    "any rewrites together",
    async () => {
      const base = await hashOf(triage);
      await fc.assert(
        fc.asyncProperty(
          fc.subarray(Object.keys(REWRITES)),
          fc.constantFrom(...Object.values(LINE_ENDS)),
          async (names, lineEnds) => {
            const text = names.reduce((rewritten, name) => REWRITES[name]?.(rewritten) ?? rewritten, triage);
            expect(await hashOf(lineEnds(text))).toBe(base);
          },
        ),
        { numRuns: 40 },
      );
    },
    PROPERTY_TIMEOUT_MS,
  );

  it("but not when a gate goes", async () => {
    expect(await hashOf(drafting.replace(/^- \*\*gate.*\n/m, ""))).not.toBe(await hashOf(drafting));
  });
});

describe("a gate is read or the workflow does not run", () => {
  const GATE = "- **gate** [[House style]]";
  const withGate = (line: string): string => drafting.replace(/^- \*\*gate.*$/m, line);

  /** Marks that people put around or into a line by accident or by another tool. */
  const mark = fc.constantFrom(
    "",
    " ",
    "  ",
    "    ",
    "\t",
    "- ",
    "> ",
    "[ ] ",
    "\\",
    "*",
    "**",
    "_",
    "`",
    "<b>",
    "<!-- x --> ",
    "# ",
    "1) ",
    "\n",
  );

  const inKey = fc.constantFrom("", " ", "*", "_", "<b>", "\\");

  it(
    "whatever stands around its parts",
    async () => {
      await fc.assert(
        fc.asyncProperty(
          mark,
          mark,
          inKey,
          mark,
          mark,
          async (before, afterBullet, keyStart, afterKey, end) => {
            const line = `${before}- ${afterBullet}**${keyStart}gate**${afterKey} [[House style]]${end}`;
            const result = await compiled(withGate(line));
            // Quotes and backticks make text on purpose: whoever writes them means to show the line.
            const isText = /[>`]/.test(before + afterBullet);
            const gates = result.ok ? result.manifest.load.filter((load) => load.class === "gate") : [];
            const fine = isText || !result.ok || gates.length === 1;
            expect(fine ? "read or refused" : line).toBe("read or refused");
          },
        ),
        { numRuns: 300 },
      );
    },
    PROPERTY_TIMEOUT_MS,
  );

  it.each([
    ["six spaces before it", `      ${GATE}`],
    ["a block of HTML around it", `<details>\n${GATE}\n</details>\n`],
    ["no bullet", "**gate** [[House style]]"],
    ["no bold", "- gate [[House style]]"],
    ["a comment before it on its line", `<!-- why --> ${GATE}`],
    ["another key in capitals", "- **GATES** [[House style]]"],
    ["a task box", "- [ ] **gate** [[House style]]"],
  ])("with %s", async (_, line) => {
    expect((await compiled(withGate(line))).ok).toBe(false);
  });
});

describe("an approval is what it says or an error", () => {
  const withApproval = (value: string): string =>
    drafting.replace(/\*\*Approval\*\* `hold`/, `**Approval** ${value}`);

  it.each(["`hold`", "hold", "**hold**", "`hold`.", "\n  hold", "\n\n  `hold`", "\n  - `hold`"])(
    "%j holds",
    async (value) => {
      const result = await compiled(withApproval(value));
      expect(result.ok && result.manifest.policy.approval).toEqual({ mode: "hold", unless: null });
    },
  );

  it.each([
    "",
    "`maybe`",
    "auto mostly",
    "Auto",
    "not `auto`",
    "`auto` unless unsure",
    "`auto` `hold`",
    "`hold` `auto`",
    "`hold` until I am back",
    "`hold` unless `payload.topic` is `x`",
    "`auto` for small notes",
    "`auto`\n\n  unless unsure",
    "`auto`\n  > unless `payload.topic` is `x`",
    "`auto`\n> unless `payload.topic` is `x`",
    "`auto`\n\n> unless `payload.topic` is `x`",
    "`auto`\n\nunless `payload.topic` is `x`",
    "`auto`\n\n      unless `payload.topic` is `x`",
    "`auto`\n\n  ```\n  unless `payload.topic` is `x`\n  ```",
    "`auto`\n  <div>unless unsure</div>",
    "`auto`\n  - unless `payload.topic` is `x`\n  - or `y`",
    "`auto`\n  - but:\n    - unless `payload.topic` is `x`",
    "`auto`\n- unless `payload.topic` is `x`",
    "auto unless `payload.topic` is `x`",
    "`auto` unless `payload.topic` below `much`",
    "`auto` unless `payload.topic`",
    "`auto` unless `payload.topic` is `x` or `y`",
    "`auto` unless `steps.nobody.x` below `1`",
  ])("%j is an error", async (value) => {
    expect((await compiled(withApproval(value))).ok).toBe(false);
  });
});

describe("a clause is read in each form in which it stands under its Approval", () => {
  const withClause = (value: string): string =>
    drafting.replace(/\*\*Approval\*\* `hold`/, `**Approval** ${value}`);

  it.each([
    "`auto` unless `payload.topic` is `x`",
    "`auto` unless `payload.topic` is `x`.",
    "`auto`\n  unless `payload.topic` is `x`",
    "`auto`\nunless `payload.topic` is `x`",
    "`auto` unless\n  `payload.topic` is `x`",
    "`auto`\n\n  unless `payload.topic` is `x`",
    "`auto`\n  - unless `payload.topic` is `x`",
    "\n\n  `auto`\n\n  unless `payload.topic` is `x`",
  ])("%j", async (value) => {
    const result = await compiled(withClause(value));
    expect(result.ok && result.manifest.policy.approval).toEqual({
      mode: "auto",
      unless: { path: "payload.topic", operator: "is", value: "x", flags: null },
    });
  });
});

describe("what stands under a field is read, or said with its place", () => {
  const APPROVAL = "- **Approval** `hold`";
  const STEP = "   - **Returns** `markdown`";
  const SEARCH = "- **search** `{{payload.topic}}` top `6` max `3000 tokens`";

  async function saidOf(at: string, put: string) {
    expect(drafting).toContain(at);
    const body = drafting.replace(at, () => put);
    const { diagnostics } = await compiled(body);
    return diagnostics.map(({ code, range }) => [
      code,
      body.slice(range.start.offset, range.end.offset).trim(),
    ]);
  }

  it.each([
    ["a paragraph", "`no-secrets`\n\n  `links-resolve`"],
    ["a bullet that starts with a word", "`no-secrets`\n  - and `links-resolve`"],
    ["a bullet in a bullet", "`no-secrets`\n  - and\n    - `links-resolve`"],
  ])("Guards go on in %s", async (_, value) => {
    const result = await compiled(drafting.replace(APPROVAL, `${APPROVAL}\n- **Guards** ${value}`));
    expect(result.ok && result.manifest.policy.guards.map(({ name }) => name)).toEqual([
      "no-secrets",
      "links-resolve",
    ]);
  });

  it("settings of a search go on in a paragraph", async () => {
    const put = "- **search** `x` — of the topic\n\n  max `3000 tokens` at least `2`";
    const result = await compiled(drafting.replace(SEARCH, put));
    const load = result.ok ? result.manifest.load.find((line) => line.class === "search") : undefined;
    expect(load).toMatchObject({ maxTokens: 3000, atLeast: 2, why: "of the topic" });
  });

  it.each([
    [APPROVAL, "- **Guards** `no-secrets`\n  > `links-resolve`", "MW011", "> `links-resolve`"],
    [APPROVAL, "- **Guards** `no-secrets`\n\n      `links-resolve`", "MW011", "`links-resolve`"],
    [APPROVAL, "- **Guards** `no-secrets`\n\n  and all links resolve", "MW012", "and all links resolve"],
    [APPROVAL, "- **Guards** `no-secrets`\nand all links resolve", "MW012", "and all links resolve"],
    [APPROVAL, "- **Guards** `no-secrets`\n\n`links-resolve`", "MW012", "`links-resolve`"],
    [APPROVAL, "- **Reviewers** `owner` and [[Roadmap]]", "MW011", "[[Roadmap]]"],
    [APPROVAL, "- **Visibility** `private`\n\n  `listed`", "MW011", "`listed`"],
    [STEP, "   - **Returns** `markdown`\n\n     with a title", "MW012", "with a title"],
    [STEP, "   - **Uses** `draft`\n     > `gather`", "MW011", "> `gather`"],
    ["- **gate** [[House style]]", "- **gate** [[House style]] at `draft`", "MW011", "`draft`"],
    ["- **gate** [[House style]]", "- **gate** [[House style]]\n\n  at `draft`", "MW011", "`draft`"],
    ["`/draft-memo`", "`/draft-memo` or `/dm`", "MW011", "`/dm`"],
  ])("in place of %j: %j is %s", async (at, put, code, text) => {
    expect(await saidOf(at, put)).toEqual([[code, text]]);
  });

  it("a reason goes on below its line without a word", async () => {
    expect(
      await saidOf("- **gate** [[House style]]", "- **gate** [[House style]] — why\n\n  — and more"),
    ).toEqual([]);
  });
});

describe("text in a step's fence", () => {
  const fence = "```\n   ## Policy\n   - **Approval** `auto`\n   ```";

  it("stays in the step and sets nothing", async () => {
    const result = await compiled(drafting.replace("   Use only", `   ${fence}\n\n   Use only`));
    if (!result.ok) throw new Error("no manifest");
    expect(result.manifest.policy.approval.mode).toBe("hold");
    const step = result.manifest.steps.find(({ id }) => id === "draft");
    expect(step?.instructions).toContain("```\n## Policy\n- **Approval** `auto`\n```\n\nUse only");
  });
});
