import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { PromptPart } from "../../../lib/model/model.ts";
import { createOfflineModel } from "../../../lib/model/offline-adapter.ts";
import { passagesOf } from "../../../lib/model/sentences.ts";
import {
  citedTitles,
  found,
  modelRequest,
  payload,
  tilNotes,
  unfaithfulLines,
} from "../../support/model-request.ts";

const write = createOfflineModel();
const NOTES = tilNotes();
/** A property over many notes takes seconds on a busy machine. */
const SLOW_MS = 60_000;

const hook: PromptPart = {
  kind: "hook",
  title: "Checklist",
  text: "- At most 300 words.\n- Ends with sources.",
};
const step = (text: string): PromptPart => ({ kind: "step", title: "draft", text });

describe("every quote line", () => {
  // A failing run prints its seed and the notes picked.
  test(
    "of a draft and of its revision is word for word in the memo it names",
    async () => {
      const picks = fc.shuffledSubarray(
        NOTES.map((_, index) => index),
        { minLength: 1, maxLength: 8 },
      );
      await fc.assert(
        fc.asyncProperty(picks, fc.nat(), async (picked, at) => {
          const parts = picked.map((index) => NOTES[index]!);
          const topic = `How do I use ${NOTES[at % NOTES.length]!.title}, and why?`;
          const draft = await write(modelRequest({ parts: [...parts, payload({ topic })] }));
          expect(unfaithfulLines(draft.text, parts)).toEqual([]);
          expect(citedTitles(draft.text).length).toBeGreaterThanOrEqual(Math.min(3, quotable(parts)));
          const revised = await write(
            modelRequest({ stepId: "revise", parts: [hook, ...parts, payload({ topic }), step(draft.text)] }),
          );
          expect(unfaithfulLines(revised.text, parts)).toEqual([]);
          expect(citedTitles(revised.text).length).toBeGreaterThanOrEqual(Math.min(3, quotable(parts)));
        }),
        { numRuns: 40 },
      );
    },
    SLOW_MS,
  );

  test(
    "stays true for memos of any Markdown and titles of any characters",
    async () => {
      const piece = fc.constantFrom(
        "A plain sentence about queues and lanes. ",
        "Another one, with `code. Here` in the middle of it. ",
        "> a quoted line about the queues\n",
        "- a list line about queues that says enough\n",
        "```\nqueue --code line here\n```\n",
        "~~~ unclosed\n",
        "\n\n",
        "\r\n",
        "\t",
        "| a | table | row |\n|---|---|---|\n",
        "See [the queue page. It is long](https://example.com/a_b) for all of it. ",
        "![a picture of queues](x.png) ",
        "<!-- queues are hidden here, do not quote --> ",
        "1. numbered queues are listed here too\n",
        "# A heading on queues\n",
        "\u2028 line separator inside of queues ",
        "[[Another memo]] says that queues wait. ",
        "Ends in brackets about queues [[x]]\n",
      );
      const title = fc.oneof(
        fc
          .string({ minLength: 1, maxLength: 20, unit: "grapheme" })
          .filter((text) => !/[\r\n\u2028\u2029]/.test(text)),
        fc.constantFrom(
          "C++ [draft]",
          "a | b",
          "]] [[",
          "$& $1",
          "# Heading",
          "> quoted",
          "`code`",
          "Ünïcödé 🦉",
        ),
      );
      const memo = fc
        .tuple(title, fc.array(piece, { maxLength: 25 }))
        .map(([name, text]) => found(name, text.join("")));
      await fc.assert(
        fc.asyncProperty(fc.array(memo, { maxLength: 5 }), async (parts) => {
          const asked = payload({ topic: "Why do queues wait?" });
          const draft = await write(modelRequest({ parts: [...parts, asked] }));
          expect(unfaithfulLines(draft.text, parts)).toEqual([]);
          const revised = await write(modelRequest({ parts: [hook, ...parts, asked, step(draft.text)] }));
          expect(unfaithfulLines(revised.text, parts)).toEqual([]);
        }),
        { numRuns: 120 },
      );
    },
    SLOW_MS,
  );

  test("names a memo whose title holds brackets, bars and quotes", async () => {
    const parts = [
      found('C++ [[x]] | "y" > z', "Queues wait because nobody has come yet."),
      payload({ topic: "queues" }),
    ];
    const { text } = await write(modelRequest({ parts }));
    expect(text).toContain('> Queues wait because nobody has come yet. [[C++ [[x]] | "y" > z]]\n');
  });
});

const quotable = (parts: readonly PromptPart[]) =>
  parts.filter((part) => passagesOf(part.text).length > 0).length;

const texts = (markdown: string) => passagesOf(markdown).map((passage) => passage.text);

describe("passages", () => {
  test("are whole sentences with folded white space", () => {
    expect(texts("One sentence stands\nover two lines. Another, e.g. this one, follows it.")).toEqual([
      "One sentence stands over two lines.",
      "Another, e.g. this one, follows it.",
    ]);
  });

  test("do not end inside code or a link", () => {
    expect(texts("Run `a.sh. Then b` and see [the page. All of it](x) after that.")).toHaveLength(1);
  });

  test("leave out headings, code, block quotes, tables, pictures, HTML and front matter", () => {
    const markdown = [
      "---\ntitle: front matter is not a sentence\n---",
      "# A heading is not a sentence",
      "```\nneither is a line of code\n```",
      "> nor is what somebody else said",
      "| a | table | of | four |\n|---|---|---|---|",
      "![a picture of some words](a.png)",
      "<p>some words that are markup</p>",
      "[only a link to words](https://example.com)",
    ].join("\n\n");
    expect(texts(markdown)).toEqual([]);
  });

  test("are none in a text made to be costly to parse", () => {
    expect(texts(`${"- ".repeat(3000)}x`)).toEqual([]);
    expect(texts("A b c d e. ".repeat(20_000))).toEqual([]);
  });

  test("carry the short code block that they lead to", () => {
    const [passage] = passagesOf(
      "Switch the pager off like this:\n\n```bash\n$ git config core.pager ''\n```\n",
    );
    expect(passage?.code).toEqual({ language: "bash", lines: ["$ git config core.pager ''"] });
  });

  test("carry no code that looks like a quote line", () => {
    const [passage] = passagesOf("Ask the database like this:\n\n```sql\n> select 1;\n```\n");
    expect(passage?.code).toBeNull();
  });
});
