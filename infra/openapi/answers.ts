import * as z from "zod";

/** What a route answers, as the contract tells it: members may be added, so every object is open. */
export type RouteAnswer = {
  summary: string;
  /** @default 200 */
  statuses?: readonly number[];
  body?: z.ZodType;
  /** The longest page of a list; its answer is the page, and `body` an entry of it. */
  pages?: number;
  /** The update names the version that it changes. */
  ifMatch?: true;
};

const text = z.string();
const count = z.number();
const open = z.looseObject;
const Requester = open({ principalId: text, username: text });
const Run = open({ runId: text, workflowId: text, status: text, requestedBy: Requester, createdAt: count });
const RunRecord = Run.extend({ holdId: text.nullable() });
const Entry = open({ memoId: text, title: text, memoType: text, contentVersion: count, updatedAt: count });
const Memo = Entry.extend({ body: text, notes: text });
const Removed = open({ memoId: text, deleted: z.boolean() });
const Session = open({ sessionId: text, status: text });
const Workflow = open({ workflowId: text, title: text, command: text.nullable(), compiles: z.boolean() });
const Enqueued = open({
  enqueued: z.boolean(),
  reason: text.nullable(),
  itemId: text,
  runId: text,
  status: text,
});
const Item = open({ itemId: text, workflowId: text, status: text, runId: text });
const HoldSummary = open({ holdId: text, kind: text, runId: text, sha256: text, title: text.nullable() });
const Hold = open({ holdId: text, sha256: text, open: z.boolean(), run: Run, verdicts: z.array(text) });
const Decided = open({ holdId: text, run: Run });
const Again = open({ itemId: text, runId: text, repeated: z.boolean() });
const Key = open({ keyId: text });
const Anything = open({});

const AGAIN = { statuses: [200, 202], body: Again } as const;

/** Each route of the topology, by method and path. */
export const ANSWERS: Readonly<Record<string, RouteAnswer>> = {
  "GET /healthz": { summary: "Whether it answers", body: open({ status: text, version: text }) },
  "GET /openapi.json": { summary: "This document", body: Anything },
  "POST /api/internal/sessions": { summary: "Begin a session", statuses: [201], body: Session },
  "GET /api/internal/sessions": { summary: "Sessions", body: Session, pages: 50 },
  "GET /api/internal/sessions/{id}": { summary: "One session", body: Session },
  "GET /api/internal/sessions/{id}/timeline": {
    summary: "What was done in a session",
    body: Anything,
    pages: 100,
  },
  "POST /api/internal/sessions/{id}/heartbeat": { summary: "Report, and read what came", body: Anything },
  "POST /api/internal/sessions/{id}/end": { summary: "End a session", body: Anything },
  "POST /api/memos": { summary: "Write a memo", statuses: [201], body: Memo },
  "GET /api/memos": { summary: "List or search memos", body: Entry, pages: 100 },
  "POST /api/memos/import": { summary: "Import Markdown files", body: Anything },
  "GET /api/memos/{id}": { summary: "One memo", body: Memo },
  "PUT /api/memos/{id}": { summary: "Change a memo", body: Memo, ifMatch: true },
  "DELETE /api/memos/{id}": { summary: "Remove a memo", body: Removed, ifMatch: true },
  "GET /api/memos/{id}/versions": { summary: "Versions of a memo", body: Anything, pages: 100 },
  "GET /api/memos/{id}/versions/{n}": { summary: "A version of a memo", body: Anything },
  "GET /api/workflows": { summary: "Workflows", body: Workflow, pages: 100 },
  "GET /api/workflows/{idOrCommand}": { summary: "One workflow, as it compiles now", body: Workflow },
  "POST /api/workflows/preview": { summary: "What a workflow would show the model", body: Anything },
  "POST /api/workflows/{idOrCommand}/items": {
    summary: "Ask for a run",
    statuses: [200, 202],
    body: Enqueued,
  },
  "GET /api/items": { summary: "Items", body: Item, pages: 100 },
  "GET /api/items/{id}": { summary: "One item", body: Item },
  "GET /api/passes": { summary: "Reports of passes", body: Anything, pages: 100 },
  "GET /api/runs": { summary: "Runs", body: Run, pages: 100 },
  "GET /api/runs/{id}": { summary: "One run, step by step", body: RunRecord },
  "POST /api/runs/{id}/cancel": { summary: "Stop a run", body: Run },
  "POST /api/runs/{id}/rerun": { summary: "Do an ended run again", ...AGAIN },
  "POST /api/runs/{id}/fork": { summary: "Do an ended run again from a step on", ...AGAIN },
  "POST /api/items/{id}/cancel": { summary: "Stop an item", body: Run },
  "POST /api/items/{id}/requeue": { summary: "Do a settled item again", ...AGAIN },
  "GET /api/cost": { summary: "What calls of models cost", body: open({ items: z.array(Anything) }) },
  "GET /api/holds": { summary: "What waits for a person", body: HoldSummary, pages: 100 },
  "GET /api/holds/{id}": { summary: "One hold, with the bytes it would write", body: Hold },
  "GET /api/audit": { summary: "The record of decisions", body: Anything, pages: 100 },
  "GET /api/notices": { summary: "What the owner is told of", body: Anything, pages: 100 },
  "POST /api/notices/{id}/read": { summary: "Mark a notice as read", body: Anything },
  "GET /api/edges": { summary: "What loops do not know, have not or may not do", body: Anything, pages: 100 },
  "POST /api/edges": { summary: "Report an edge", body: open({ edgeId: text, new: z.boolean(), count }) },
  "GET /api/edges/{id}": { summary: "One edge, with the newest reports of it", body: Anything },
  "POST /api/edges/{id}/answer": { summary: "Answer an edge: later runs are given it", body: Anything },
  "POST /api/edges/{id}/acknowledge": { summary: "Say that an edge was seen", body: Anything },
  "POST /api/edges/{id}/resolve": { summary: "Say that an edge is no more", body: Anything },
  "POST /api/edges/{id}/leave": { summary: "Leave an edge as it is", body: Anything },
  "GET /api/session-reports": { summary: "Passes of the session steward", body: Anything, pages: 100 },
  "GET /api/session-reports/{runId}": { summary: "What a pass found, decided and did", body: Anything },
  "POST /api/session-reports/{runId}/nudges": {
    summary: "Send a session the word that the report proposes",
    body: Anything,
  },
  "POST /api/session-reports/{runId}/disagreements": {
    summary: "See a session otherwise than the report",
    body: Anything,
  },
  "GET /api/workflows/{idOrCommand}/schedules": { summary: "A workflow's schedules", body: Anything },
  "PUT /api/workflows/{idOrCommand}/schedules": {
    summary: "Switch schedules that are shipped switched off",
    body: Anything,
  },
  "POST /api/keys": { summary: "Make a key; it is shown once", statuses: [201], body: Key },
  "GET /api/keys": { summary: "Keys, without their secrets", body: Key, pages: 100 },
  "DELETE /api/keys/{id}": { summary: "Revoke a key", body: Anything },
  "POST /mcp": {
    summary: "The tools of agents: a message of the Model Context Protocol",
    statuses: [200, 202],
    body: Anything,
  },
  "GET /mcp": { summary: "Always 405: there are no streams", statuses: [] },
  "DELETE /mcp": { summary: "Always 405: there are no sessions of the protocol", statuses: [] },
  "POST /api/sign-in-links": {
    summary: "A link that signs a person in to the pages, once",
    statuses: [201],
    body: open({ path: text, expiresAt: count }),
  },
  "GET /api/internal/cron/run-workflows": { summary: "A round by hand", body: Anything },
  "GET /api/internal/dead-letters": { summary: "Doorbells that were given up", body: Anything },
  "POST /api/internal/dead-letters/redrive": { summary: "Ring them again", body: Anything },
  "POST /api/holds/{id}/decision": { summary: "Decide on a hold", body: Decided },
  "POST /api/holds/{id}/take-back": { summary: "Take a decision back", body: Anything },
  "POST /api/holds/reject": { summary: "Reject several holds", body: Anything },
  "POST /api/holds/{id}/snooze": { summary: "Hide a hold until later", body: Anything },
  "DELETE /api/holds/{id}/snooze": { summary: "Show a hold again", body: Anything },
};
