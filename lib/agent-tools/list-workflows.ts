import * as z from "zod";
import type { FoundWorkflow } from "../intake/workflow-library.ts";
import { waitingReason } from "../workflows/lane-state.ts";
import { agentTool, READS } from "./agent-tool.ts";

/** Most workflows of one answer; who has more asks by a word. */
const MAX_LISTED = 50;

const Workflow = z.looseObject({
  command: z.string().nullable(),
  summary: z.string(),
  status: z.string(),
  inputs: z.array(z.looseObject({ name: z.string(), type: z.string(), required: z.boolean() })),
  approval: z.string().nullable(),
  destination: z.string().nullable(),
});

/** What can be run, as the workflows compile now. */
export const listWorkflows = agentTool({
  name: "list_workflows",
  description:
    "Lists the library's workflows: their commands, what each takes, and what becomes of its result.",
  scope: "memos:read",
  writes: false,
  hints: READS,
  input: z.strictObject({ query: z.string().max(200).optional().describe("words to filter by") }),
  output: z.looseObject({ workflows: z.array(Workflow) }),
  label: ({ query }) => query ?? "",
  async call(deps, { principal }, { query = "" }) {
    const all = await deps.workflows.list(principal.ownerUid);
    const words = query
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== "");
    const found = all.filter((workflow) => fits(workflow, words)).map(shown);
    const workflows = found.slice(0, MAX_LISTED);
    const rest = found.length > MAX_LISTED ? ` ${found.length - MAX_LISTED} more: filter by query.` : "";
    const none = all.length > 0 ? "No workflow fits; call without query." : "The library has no workflow.";
    return {
      says: found.length === 0 ? none : `${workflows.length} workflows.${rest}`,
      value: { workflows },
    };
  },
});

function fits({ memo, compiled }: FoundWorkflow, words: readonly string[]): boolean {
  const trigger = compiled.ok ? compiled.manifest.trigger : undefined;
  const text = `${memo.title} ${trigger?.command ?? ""} ${trigger?.summary ?? ""}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

function shown({ memo, compiled }: FoundWorkflow): z.infer<typeof Workflow> {
  if (!compiled.ok) {
    const [first] = compiled.diagnostics;
    const summary = first ? `Does not compile: ${first.message}` : "Does not compile";
    const unknown = { inputs: [], approval: null, destination: null };
    return { command: compiled.command, summary, status: "broken", title: memo.title, ...unknown };
  }
  const { trigger, policy } = compiled.manifest;
  return {
    command: trigger.command,
    summary: trigger.summary,
    status: waitingReason(compiled) ?? trigger.status,
    title: memo.title,
    inputs: trigger.inputs.map(({ name, type, required, description }) => ({
      name,
      type,
      required,
      ...(description && { description }),
    })),
    approval: policy.approval.mode === "hold" ? "a person decides" : "lands by itself",
    destination: policy.destination,
  };
}
