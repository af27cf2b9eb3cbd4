import { afterAll, beforeAll, expect, test } from "vitest";
import type { Tool } from "../../../lib/core/tool.ts";
import { stepPrefix } from "../../../lib/runs/parts.ts";
import { runRecord } from "../../../lib/runs/run-view.ts";
import type { ModelRequest } from "../../../lib/model/model.ts";
import { startEngine, type Engine } from "../../support/engine.ts";
import { createLoop } from "../../support/loop.ts";
import { scriptedModel, type ScriptedReply } from "../../support/scripted-model.ts";
import { OUTPUT, withOptions, stepWorkflow } from "../../support/step-workflow.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.stop());

const WORKFLOW = stepWorkflow({
  command: "/research",
  steps: [
    withOptions("**process** `answer` Answer.", [
      "**Tools** `search_memos`, `read_memo`",
      "**Max turns** `4`",
    ]),
    OUTPUT,
  ],
});

/** A model that uses the tools as a test says, and answers with what the last one said. */
async function researched(
  use: (tool: (name: string, input: unknown) => Promise<string>, request: ModelRequest) => Promise<string>,
  more: {
    files?: Record<string, string>;
    tools?: Record<string, Tool>;
    workflow?: string;
    owner?: string;
  } = {},
) {
  const reply: ScriptedReply = (request) =>
    use(async (name, input) => {
      const tool = request.tools.find((offered) => offered.name === name);
      if (!tool) throw new Error(`${name} is not offered`);
      return tool.call(input);
    }, request);
  const model = scriptedModel(() => reply);
  const loop = createLoop(engine, { model, ...(more.tools && { tools: more.tools }) });
  const ids = await loop.importFiles({ "research.md": more.workflow ?? WORKFLOW, ...more.files });
  const { runId } = await loop.enqueue("/research", { topic: `${Object.values(ids).join(" ")} ${made++}` });
  await loop.settleDown();
  const run = (await loop.runs.readHead(runId))!;
  return { model, loop, ids, run, record: await runRecord(loop, run) };
}
let made = 0;

test("a step is offered exactly its tools, with its turns; a step without Tools none", async () => {
  const { model } = await researched(async () => "nothing asked");
  expect(model.calls[0]?.tools.map(({ name }) => name)).toEqual(["search_memos", "read_memo"]);
  expect(model.calls[0]?.maxTurns).toBe(4);
  const plain = await researched(async () => "none", {
    workflow: stepWorkflow({ command: "/research", steps: ["**process** `answer` Answer.", OUTPUT] }),
  });
  expect(plain.model.calls[0]).toMatchObject({ tools: [], maxTurns: 1 });
});

test("search_memos finds the owner's notes and read_memo reads one; the row tells of both without their texts", async () => {
  const files = { "tea.md": "# Tea\n\nWater first, then a spoon of leaves called zubrowka." };
  const { run, record, loop, ids } = await researched(
    async (tool) => {
      const hits = JSON.parse(await tool("search_memos", { query: "zubrowka" })) as { memoId: string }[];
      return tool("read_memo", { memoId: hits[0]!.memoId });
    },
    { files },
  );
  expect(run.status).toBe("suspended");
  const step = record.steps[1] as { output: string; tools: unknown[] };
  expect(step.output).toContain("a spoon of leaves called zubrowka");
  expect(step.tools).toMatchObject([
    { name: "search_memos", outcome: "ok", argsDigest: expect.stringMatching(/^[0-9a-f]{30}$/) },
    { name: "read_memo", outcome: "ok", ms: 0 },
  ]);
  expect(JSON.stringify(step.tools)).not.toContain("zubrowka");
  expect(JSON.stringify(step.tools)).not.toContain(ids["tea.md"]);
  expect(await loop.runs.readHead(run.runId)).toMatchObject({ rows: ["", "R1E1"] });
});

test("a tool reads the run's owner alone, whatever the arguments say", async () => {
  const other = createLoop(engine, { model: scriptedModel({}) });
  const theirs = await other.importFiles({ "secret.md": "# Secret\n\nQuetzalcoatl." }, "somebody");
  const { record } = await researched(async (tool) => {
    const found = await tool("search_memos", { query: "Quetzalcoatl" });
    const read = await tool("read_memo", { memoId: theirs["secret.md"], ownerUid: "somebody" });
    const named = await tool("read_memo", { memoId: theirs["secret.md"] });
    return [found, read, named].join("\n");
  });
  const { output, tools } = record.steps[1] as { output: string; tools: { outcome: string }[] };
  expect(output).toContain("No memo was found.");
  expect(output).not.toContain("Quetzalcoatl");
  expect(tools.map(({ outcome }) => outcome)).toEqual(["ok", "invalid_request", "memo_not_found"]);
});

test("a workflow is no note: its text cannot be read", async () => {
  let said = "";
  const { ids, record } = await researched(async (tool, request) => {
    const payload = request.parts.find(({ kind }) => kind === "payload")?.text ?? "";
    said = await tool("read_memo", { memoId: /memo_\w+/.exec(payload)?.[0] });
    return "done";
  });
  expect(said).toBe(`there is no memo ${ids["research.md"]}`);
  expect(record.steps[1]).toMatchObject({ tools: [{ outcome: "memo_not_found" }] });
});

const bigTool = (text: string): Tool => ({
  name: "read_memo",
  description: "big",
  input: { type: "object" },
  call: async () => text,
});

test("a result is cut at 20000 characters, never inside one, and counted (O36)", async () => {
  let said = "";
  const { record } = await researched(
    async (tool) => {
      said = await tool("read_memo", {});
      return "done";
    },
    { tools: { read_memo: bigTool("🎉".repeat(15_000)) } },
  );
  expect(said.length).toBeLessThanOrEqual(20_000);
  expect(said.isWellFormed()).toBe(true);
  expect(said).toContain("of 30000 characters");
  expect(record.steps[1]).toMatchObject({ tools: [{ outcome: "cut", chars: said.length }] });
});

test("a hundred tool calls of 5 KB store less than one of their results (O27)", async () => {
  const { loop, run } = await researched(
    async (tool) => {
      for (let n = 0; n < 100; n++) await tool("read_memo", { n });
      return "done";
    },
    {
      tools: { read_memo: bigTool("x".repeat(5_000)) },
      workflow: WORKFLOW.replace("400k tokens", "4000k tokens"),
    },
  );
  const rows = await loop.runs.readParts(run.runId, stepPrefix(1, 1));
  expect(rows[0]?.["tools"]).toHaveLength(100);
  expect(JSON.stringify(rows).length).toBeLessThan(3 * 5_000 * 100);
  expect(JSON.stringify(rows).length).toBeLessThan(20_000);
});

test("past a hundred calls a tool says so instead of answering", async () => {
  let last = "";
  await researched(
    async (tool) => {
      for (let n = 0; n < 101; n++) last = await tool("read_memo", { n });
      return "done";
    },
    { tools: { read_memo: bigTool("x") } },
  );
  expect(last).toContain("no more tool calls");
});

test("a tool that throws is told to the model without its inner text, and the step goes on", async () => {
  const broken: Tool = {
    ...bigTool(""),
    call: async () => {
      throw new Error("connect ECONNREFUSED 10.0.0.7:8000");
    },
  };
  let said = "";
  const { run } = await researched(
    async (tool) => {
      said = await tool("read_memo", {});
      return "done all the same";
    },
    { tools: { read_memo: broken } },
  );
  expect(said).toBe("The tool failed.");
  expect(run.status).toBe("suspended");
});

test("a tool loop that would pass the run's budget is asked to answer with what it has", async () => {
  const answers: string[] = [];
  const { run, record } = await researched(
    async (tool) => {
      for (let n = 0; n < 5; n++) answers.push(await tool("read_memo", { n }));
      return "short answer";
    },
    {
      tools: { read_memo: bigTool("x".repeat(8_000)) },
      workflow: WORKFLOW.replace("400k tokens", "5000 tokens"),
    },
  );
  expect(run.status).toBe("suspended");
  expect(answers.filter((answer) => answer.startsWith("xxx")).length).toBeGreaterThan(0);
  expect(answers.at(-1)).toContain("The budget of this run is spent");
  const { tools } = record.steps[1] as { tools: { outcome: string }[] };
  expect(tools.at(-1)?.outcome).toBe("budget_exhausted");
});

test("a tool that is not registered, or one that writes, does not compile", async () => {
  for (const [tool, code] of [
    ["read_mail", "MW319"],
    ["write_memo", "MW316"],
  ] as const) {
    const loop = createLoop(engine, { model: scriptedModel({}) });
    const ids = await loop.importFiles({
      "w.md": WORKFLOW.replace("`search_memos`", `\`${tool}\``).replace(
        "/research",
        `/${tool.replace("_", "-")}`,
      ),
    });
    const found = await loop.workflows.byId("owner", ids["w.md"]!);
    expect(found?.compiled.diagnostics.map((diagnostic) => diagnostic.code)).toEqual([code]);
  }
});
