import { describe, expect, test } from "vitest";
import type { PromptPart } from "../../../lib/model/model.ts";
import { createOfflineModel } from "../../../lib/model/offline-adapter.ts";
import {
  citedTitles,
  demoMemos,
  found,
  modelRequest,
  payload,
  unfaithfulLines,
} from "../../support/model-request.ts";

const write = createOfflineModel();
const MEMOS = [
  found("Lanes", "Items of one workflow wait in one lane. The oldest item of a lane goes first."),
  found("Holds", "A hold stops the run until a person decides. Holds expire after fourteen days."),
  found("Bells", "A bell carries ids and never content. A lost bell costs a delay and nothing else."),
];
const asked = payload({ topic: "How do lanes and holds work?" });
const hook: PromptPart = {
  kind: "hook",
  title: "Draft checklist",
  text: demoMemos().get("Draft checklist")!.text,
};

async function revised(draft: string, ...more: PromptPart[]): Promise<string> {
  const reply = await write(
    modelRequest({
      stepId: "revise",
      instructions: 'Check the output of step "draft" (below) against the checklist and fix it.',
      parts: [hook, ...MEMOS, asked, { kind: "step", title: "draft", text: draft }, ...more],
    }),
  );
  expect(unfaithfulLines(reply.text, MEMOS)).toEqual([]);
  return reply.text;
}

const LANES = "> Items of one workflow wait in one lane. [[Lanes]]";
const HOLDS = "> A hold stops the run until a person decides. [[Holds]]";

const withoutNotice = (text: string) => text.replace(/^An extract.*$/m, "");

describe("a revision", () => {
  test("drops what is said twice", async () => {
    const text = await revised(`# Lanes\n\n## One\n\n${LANES}\n\n## Two\n\n${LANES}\n\n${HOLDS}\n`);
    expect(text.split(LANES)).toHaveLength(2);
    expect(text).not.toContain("## One\n\n## Two");
    expect(text).toContain("1 repeat dropped");
  });

  test("drops a quote that its memo does not hold", async () => {
    const text = await revised(
      `# Lanes\n\n${LANES}\n\n> Lanes are painted yellow. [[Lanes]]\n\n> Nobody said this.\n`,
    );
    expect(text).not.toMatch(/yellow|Nobody said/);
    expect(text).toContain("2 quotes that no memo holds dropped");
  });

  test("adds a missing heading, the memos left out, and the list of sources", async () => {
    const text = await revised(`${LANES}\n`);
    expect(text).toMatch(/^# How do lanes and holds work\?\n/);
    expect(citedTitles(text).toSorted()).toEqual(["Bells", "Holds", "Lanes"]);
    expect(text).toMatch(/## Sources\n\n- \[\[Lanes\]\]\n- \[\[\w+\]\]\n- \[\[\w+\]\]\n$/);
  });

  test("cuts a long draft to the checklist's length, keeping a quote of each memo", async () => {
    const long = Array.from(
      { length: 40 },
      (_, at) => `Filler sentence ${at} of some words that is quoted nowhere. `,
    );
    const filler = found("Filler", long.join(""));
    const lines = long.map((line) => `> ${line.trim()} [[Filler]]`).join("\n\n");
    const reply = await write(
      modelRequest({
        parts: [
          hook,
          ...MEMOS,
          filler,
          asked,
          { kind: "step", title: "draft", text: `# T\n\n${LANES}\n\n${HOLDS}\n\n${lines}` },
        ],
      }),
    );
    expect(reply.text.split(/\s+/).length).toBeLessThanOrEqual(400);
    expect(citedTitles(reply.text)).toEqual(expect.arrayContaining(["Lanes", "Holds", "Filler"]));
  });

  test("keeps the author's own paragraphs and the code below a quote", async () => {
    const text = await revised(
      `# Lanes\n\nA sentence of the writer.\n\n${LANES}\n\n\`\`\`sh\nmythos lanes\n\`\`\`\n`,
    );
    expect(text).toContain("A sentence of the writer.");
    expect(text).toContain(`${LANES}\n\n\`\`\`sh\nmythos lanes\n\`\`\`\n`);
  });

  test("of its own revision changes nothing but the notice", async () => {
    const once = await revised(`${LANES}\n\n${LANES}\n`);
    const twice = await revised(once);
    expect(withoutNotice(twice)).toBe(withoutNotice(once));
    expect(twice).toContain("nothing had to change");
  });

  test("follows a reviewer's reason: what to leave out, and what to say more about", async () => {
    const reason: PromptPart = {
      kind: "revision",
      title: "reason",
      text: "Leave out [[Bells]], and say more about when holds expire.",
    };
    const text = await revised(`# Lanes\n\n${LANES}\n`, reason);
    expect(text).toContain("> Holds expire after fourteen days. [[Holds]]");
    expect(text).not.toContain("[[Bells]]");
    expect(text).toContain("written again for the reviewer's reason");
  });
});

const extract = (items: unknown): PromptPart => ({
  kind: "step",
  title: "extract",
  text: JSON.stringify({ items }),
});

describe("merging into a memo", () => {
  const roadmap = demoMemos().get("Roadmap")!;
  const instructions =
    'Write the roadmap with the items of the output of step "extract" merged in; keep every existing line.';

  test("keeps every byte of the memo and adds the new items with their sources", async () => {
    const parts = [
      { ...roadmap, kind: "gate" as const },
      extract([{ text: "Mara moves the photos by May.", source: "Call with Mara" }]),
    ];
    const { text } = await write(modelRequest({ instructions, parts }));
    expect(text.startsWith(roadmap.text.trimEnd())).toBe(true);
    expect(text).toContain("- [ ] Mara moves the photos by May. [[Call with Mara]]\n");
  });

  test("gives the memo back as it is when nothing is new", async () => {
    const parts = [
      { ...roadmap, kind: "gate" as const },
      extract([{ text: "Move the reading list into memos, one a book" }]),
    ];
    expect((await write(modelRequest({ instructions, parts }))).text).toBe(roadmap.text);
  });
});
