import * as z from "zod";
import { AppError } from "../core/errors.ts";
import { momentOf } from "../core/moment.ts";
import { namedWorkflowId } from "../intake/named-workflow.ts";
import { itemIdOf } from "../queue/item.ts";
import { listRuns as pageOfRuns, type RunPlace } from "../runs/list-runs.ts";
import { agentTool, READS, type AgentToolDeps } from "./agent-tool.ts";
import { iso } from "./get-run.ts";
import { stateOfRun } from "./subject.ts";

const MAX_LISTED = 50;
const STATUS_OF = {
  running: "running",
  held: "suspended",
  done: "done",
  failed: "failed",
  cancelled: "cancelled",
} as const;
const LISTED = Object.keys(STATUS_OF) as (keyof typeof STATUS_OF)[];

/** The owner's runs, newest first: the same that the API lists. */
export const listRuns = agentTool({
  name: "list_runs",
  description: "Lists runs, newest first.",
  scope: "runs:read",
  writes: false,
  hints: READS,
  input: z.strictObject({
    command: z.string().max(200).optional(),
    state: z.enum(LISTED).optional(),
    since: z.string().max(40).optional().describe("7d, 12h or an ISO time"),
    limit: z.int().min(1).max(MAX_LISTED).default(20),
    cursor: z.string().max(200).optional(),
  }),
  output: z.looseObject({
    runs: z.array(z.looseObject({ run: z.string(), state: z.string(), workflow: z.string() })),
    cursor: z.string().nullable(),
  }),
  label: ({ command, state }) => [command, state].filter(Boolean).join(" "),
  async call(deps, { principal, at }, { command, state, since, limit, cursor }) {
    const { ownerUid } = principal;
    const notBefore = since === undefined ? 0 : moment(since, at);
    const filter = {
      ...(state && { status: STATUS_OF[state] }),
      ...(command && { workflowId: await namedWorkflowId(deps, ownerUid, command) }),
    };
    const after = cursor === undefined ? null : await placeOf(deps, ownerUid, cursor);
    const page = await pageOfRuns(deps, ownerUid, { filter, limit, after });
    const titles = new Map(
      (await deps.catalog.workflows(ownerUid)).map((entry) => [entry.memoId, entry.title]),
    );
    const recent = page.runs.filter(({ createdAt }) => createdAt >= notBefore);
    const runs = recent.map((run) => ({
      run: run.runId,
      item: itemIdOf(run.workflowId, run.itemKey, run.generation),
      state: stateOfRun(run),
      workflow: titles.get(run.workflowId as never) ?? run.workflowId,
      created_at: iso(run.createdAt),
    }));
    const goesOn = page.next && recent.length === page.runs.length && page.next.createdAt >= notBefore;
    const next = goesOn ? page.next!.runId : null;
    const more = next ? " There are more: send cursor." : "";
    return { says: `${runs.length} runs.${more}`, value: { runs, cursor: next } };
  },
});

function moment(since: string, at: number): number {
  const found = momentOf(since, at, "back");
  if (found !== undefined) return found;
  const message = `since is "${since}"; expected 7d, 12h or an ISO time with its zone`;
  throw new AppError("invalid_request", message, { failing: [{ pointer: "/since", message }] });
}

/** A cursor is the id of a run: of one that is not this owner's there is no list to go on with. */
async function placeOf(deps: AgentToolDeps, ownerUid: string, cursor: string): Promise<RunPlace> {
  const run = await deps.runs.readHead(cursor);
  if (run?.ownerUid === ownerUid) return { runId: run.runId, createdAt: run.createdAt };
  const message = "cursor is not one that list_runs has answered";
  throw new AppError("invalid_request", message, { failing: [{ pointer: "/cursor", message }] });
}
