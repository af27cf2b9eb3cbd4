import { afterEach, beforeEach, expect, test } from "vitest";
import { previewPrompts } from "../../../lib/runs/preview.ts";
import type { Manifest } from "../../../lib/workflows/manifest.ts";
import { startEngine, type Engine } from "../../support/engine.ts";
import { createLoop, type Loop } from "../../support/loop.ts";
import { scriptedModel } from "../../support/scripted-model.ts";

const WORKFLOW = `# Preview

## Trigger
- **Command** \`/preview\`
- **Status** \`live\`
- **Summary** Shows what a preview has to show
- **Input** \`topic\` string
- **Input** \`n\` number?

## Load Contract
- **gate** [[Rules]]
- **trigger** [[Glossary]] when \`payload.topic\` contains \`term\`

## Steps
1. **trigger** \`start\` A topic.
2. **context** \`load\` Load.
3. **process** \`outline\` Outline {{payload.topic}}.
4. **process** \`draft\` Write {{steps.outline}} out.
5. **output** \`publish\` File it.

## Policy
- **Destination** \`memo\`
- **Budget** \`10k tokens\` per run
`;

let engine: Engine;
let loop: Loop;
afterEach(() => engine.stop());
beforeEach(async () => {
  engine = await startEngine();
  loop = createLoop(engine, { model: scriptedModel(() => "A draft.") });
  await loop.importFiles({
    "preview.md": WORKFLOW,
    "rules.md": "# Rules\n\nBe brief.\n",
    "glossary.md": "# Glossary\n\nterm: a word\n",
  });
});

async function previewed(payloadText: string) {
  const { item } = await loop.enqueue("/preview", { topic: "the item of a run" });
  const compiled = await loop.runner.compile(item.ownerUid, item.workflowId);
  if (!compiled?.ok) throw new Error("does not compile");
  const manifest: Manifest = compiled.manifest;
  engine.resetCounts();
  const preview = await previewPrompts(loop.runner, item.ownerUid, { manifest, payloadText });
  return { preview, counts: engine.counts() };
}

test("each step has its parts in order, and a phrase where another's output will stand", async () => {
  const { preview } = await previewed('{"topic":"a term"}');
  const [outline, draft] = preview.steps;
  expect(outline?.parts.map(({ kind, title }) => `${kind} ${title}`)).toEqual([
    "gate Rules",
    "trigger Glossary",
    "payload payload",
  ]);
  expect(outline?.instructions).toBe("Outline a term.");
  expect(outline?.system).toContain("Be brief.");
  expect(outline?.missing).toEqual([]);
  expect(draft?.missing).toEqual(["outline"]);
  expect(draft?.user).toContain('(here stands the output of step "outline")');
});

test("what is left out says why", async () => {
  const { preview } = await previewed('{"topic":"nothing special"}');
  const glossary = preview.loads.find(({ ref }) => ref === "Glossary");
  expect(glossary).toMatchObject({ loaded: false, reason: 'not: payload.topic contains "term"' });
});

test("nothing is written and the payload's bytes stay as they are", async () => {
  const { preview, counts } = await previewed('{"topic":"a",  "n": 1.0}');
  expect(Object.keys(counts).filter((operation) => /Put|Update|Delete|Write/.test(operation))).toEqual([]);
  expect(preview.steps[0]?.parts.at(-1)?.text).toBe('{"topic":"a",  "n": 1.0}');
});

test("a payload that does not fit is refused as an enqueue refuses it", async () => {
  await expect(previewed("{}")).rejects.toMatchObject({ code: "payload_invalid" });
});
