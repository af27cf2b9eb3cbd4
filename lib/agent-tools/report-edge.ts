import * as z from "zod";
import { digestOf } from "../core/ids.ts";
import { EDGE_KINDS } from "../edges/edge.ts";
import { reportEdge as report } from "../edges/report.ts";
import { agentTool } from "./agent-tool.ts";

/** Notes that something is missing, unclear or refused, so that a person can answer it once for all. */
export const reportEdge = agentTool({
  name: "report_edge",
  description:
    "Reports what you lack, cannot tell or may not do, so that a person can answer it for later runs. One subject is one edge.",
  scope: "edges:report",
  writes: true,
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: z.strictObject({
    kind: z.enum(EDGE_KINDS),
    subject: z.string().trim().min(1).max(300),
    question: z.string().trim().min(1).max(1000),
    evidence: z.string().max(1000).optional(),
  }),
  output: z.looseObject({ edge: z.string(), new: z.boolean(), count: z.int() }),
  label: ({ kind, subject }) => `${kind} ${subject}`,
  async call(deps, { principal, sessionId }, { kind, subject, question, evidence }) {
    const { ownerUid } = principal;
    const met = { runId: null, stepId: null, workflowId: null, sessionId };
    // The same words in the same session are the same report: a repeat of a call counts once.
    const token = digestOf([sessionId, kind, subject, question]);
    const quote = evidence === undefined ? {} : { quote: evidence };
    const said = await report(deps, { ownerUid, token, ...met }, { kind, subject, question, ...quote });
    const seen = said.new ? "A new edge" : `Known; reported ${said.count} times`;
    return {
      says: `${seen}.`,
      value: { edge: said.edgeId, new: said.new, count: said.count, state: said.state },
    };
  },
});
