import { ENV, type EnvName } from "../functions/env.ts";
import type { ControlRow } from "../lib/core/keys.ts";
import type { TableName } from "./tables.ts";

export { TABLES } from "./tables.ts";
export type { IndexDeclaration, KeyAttribute, KeyType, TableDeclaration, TableName } from "./tables.ts";

/**
 * What exists, declared once. The CDK app turns it into a stack, the local host serves it on a laptop, and a
 * test compares the two.
 */

export type QueueDeclaration = {
  env: EnvName;
  /** Names the dead-letter queue, for whoever redrives it. */
  deadLettersEnv: EnvName;
  /** Deliveries before a message goes to the dead-letter queue. */
  maxReceiveCount: number;
};

/** Doorbells: a message holds ids and an epoch, never content. Each has a dead-letter queue beside it. */
export const QUEUES = {
  wake: { env: ENV.wakeQueueUrl, deadLettersEnv: ENV.wakeDeadLettersUrl, maxReceiveCount: 5 },
  run: { env: ENV.runQueueUrl, deadLettersEnv: ENV.runDeadLettersUrl, maxReceiveCount: 5 },
} as const satisfies Record<string, QueueDeclaration>;
export type QueueName = keyof typeof QUEUES;

/** read: get and query. append: put beside read, and neither update nor delete. write: all of them. */
export type TableAccess = "read" | "append" | "write";

/** The peppers themselves, where a function is given them as variables: on a laptop. */
export const PEPPER_SETTINGS: readonly EnvName[] = [ENV.keyPepper, ENV.previousKeyPepper];

export type FunctionDeclaration = {
  /** Handler file under the project's root. */
  file: string;
  timeoutSec: number;
  memoryMb: number;
  routes?: readonly Route[];
  /** Fires every five minutes (locally as MYTHOS_EVERY says). */
  schedule?: { everyMin: number };
  queue?: { name: QueueName; batchSize: number; maxConcurrency: number };
  tables: Partial<Record<TableName, TableAccess>>;
  /**
   * Rows of Control by how their keys begin, for functions that need no other of them. use: get, put, update and
   * delete. stamp: get, and update of the time of the last use alone.
   */
  rows?: Partial<Record<ControlRow, "use" | "stamp">>;
  /** Reads the peppers of API keys: parameters on AWS, variables on a laptop. */
  pepper?: true;
  /** Its routes are there for people too who sign in with their organisation, where that is set up: under /steward. */
  people?: true;
  sends?: readonly QueueName[];
  /** Takes messages out of these queues' dead-letter queues. */
  redrives?: readonly QueueName[];
  env?: readonly EnvName[];
  /** Lets the function send to the queue that feeds it; the code bounds the hops. */
  recursion?: "allow";
  /** May reach a model: the runner and the chat turn worker only. */
  model?: true;
};

export type Route = { method: "GET" | "POST" | "PUT" | "DELETE"; path: string; auth: "key" | "none" };

const get = (path: string): Route => ({ method: "GET", path, auth: "key" });
const post = (path: string): Route => ({ method: "POST", path, auth: "key" });
const put = (path: string): Route => ({ method: "PUT", path, auth: "key" });
const del = (path: string): Route => ({ method: "DELETE", path, auth: "key" });
/** What a function with writing routes needs, unless it may write the whole of Control. */
const guards = { rate: "use", repeat: "use" } as const;
/** Routes without the authorizer: a health probe, and those of operators, which have a key of their own. */
const open = (route: Route): Route => ({ ...route, auth: "none" });

const http = { timeoutSec: 25, memoryMb: 512 } as const;

export const FUNCTIONS = {
  authorizer: {
    file: "functions/authorizer.ts",
    timeoutSec: 5,
    memoryMb: 256,
    tables: {},
    rows: { key: "stamp" },
    pepper: true,
  },
  httpHealth: {
    ...http,
    file: "functions/http-health.ts",
    routes: [open(get("/healthz")), open(get("/openapi.json"))],
    tables: {},
  },
  httpSessions: {
    ...http,
    file: "functions/http-sessions.ts",
    routes: [
      post("/api/internal/sessions"),
      get("/api/internal/sessions"),
      get("/api/internal/sessions/{id}"),
      get("/api/internal/sessions/{id}/timeline"),
      post("/api/internal/sessions/{id}/heartbeat"),
      post("/api/internal/sessions/{id}/end"),
    ],
    tables: { sessions: "write", runs: "read" },
    rows: guards,
    env: [ENV.writesPerMinute],
  },
  httpMemos: {
    ...http,
    file: "functions/http-memos.ts",
    routes: [
      post("/api/memos"),
      get("/api/memos"),
      post("/api/memos/import"),
      get("/api/memos/{id}"),
      put("/api/memos/{id}"),
      del("/api/memos/{id}"),
      get("/api/memos/{id}/versions"),
      get("/api/memos/{id}/versions/{n}"),
    ],
    tables: { memos: "write", control: "write", sessions: "write", lanes: "write", queue: "write" },
    sends: ["wake"],
    env: [ENV.config, ENV.writesPerMinute],
  },
  httpWorkflows: {
    ...http,
    file: "functions/http-workflows.ts",
    routes: [get("/api/workflows"), get("/api/workflows/{idOrCommand}"), post("/api/workflows/preview")],
    tables: {
      memos: "read",
      control: "read",
      sessions: "write",
      lanes: "read",
      queue: "read",
      runs: "read",
    },
    rows: guards,
    env: [ENV.config, ENV.writesPerMinute],
  },
  httpQueue: {
    ...http,
    file: "functions/http-queue.ts",
    routes: [
      post("/api/workflows/{idOrCommand}/items"),
      get("/api/items"),
      get("/api/items/{id}"),
      get("/api/passes"),
    ],
    tables: { memos: "read", control: "read", sessions: "write", queue: "write", lanes: "write" },
    rows: guards,
    sends: ["wake"],
    env: [ENV.config, ENV.writesPerMinute],
  },
  httpRuns: {
    ...http,
    file: "functions/http-runs.ts",
    routes: [
      get("/api/runs"),
      get("/api/runs/{id}"),
      post("/api/runs/{id}/cancel"),
      post("/api/runs/{id}/rerun"),
      post("/api/runs/{id}/fork"),
      post("/api/items/{id}/cancel"),
      post("/api/items/{id}/requeue"),
    ],
    tables: {
      runs: "write",
      queue: "write",
      lanes: "write",
      memos: "read",
      sessions: "write",
      ledger: "append",
    },
    rows: guards,
    sends: ["wake"],
    env: [ENV.writesPerMinute],
  },
  httpCost: {
    ...http,
    file: "functions/http-cost.ts",
    routes: [get("/api/cost")],
    tables: { control: "read", runs: "read", memos: "read", sessions: "write" },
  },
  httpHolds: {
    ...http,
    file: "functions/http-holds.ts",
    routes: [get("/api/holds"), get("/api/holds/{id}")],
    tables: { runs: "read", memos: "read", sessions: "write", control: "read" },
    people: true,
  },
  httpAudit: {
    ...http,
    file: "functions/http-audit.ts",
    routes: [get("/api/audit")],
    tables: { ledger: "read", runs: "read", sessions: "write" },
  },
  httpNotices: {
    ...http,
    file: "functions/http-notices.ts",
    routes: [get("/api/notices"), post("/api/notices/{id}/read")],
    tables: { control: "write", sessions: "write" },
    env: [ENV.writesPerMinute],
  },
  httpEdges: {
    ...http,
    file: "functions/http-edges.ts",
    routes: [
      get("/api/edges"),
      post("/api/edges"),
      get("/api/edges/{id}"),
      post("/api/edges/{id}/answer"),
      post("/api/edges/{id}/acknowledge"),
      post("/api/edges/{id}/resolve"),
      post("/api/edges/{id}/leave"),
    ],
    tables: { memos: "read", sessions: "write", control: "write", ledger: "append" },
    env: [ENV.config, ENV.writesPerMinute],
  },
  httpSessionReports: {
    ...http,
    file: "functions/http-session-reports.ts",
    routes: [
      get("/api/session-reports"),
      get("/api/session-reports/{runId}"),
      post("/api/session-reports/{runId}/nudges"),
      post("/api/session-reports/{runId}/disagreements"),
      get("/api/workflows/{idOrCommand}/schedules"),
      put("/api/workflows/{idOrCommand}/schedules"),
    ],
    tables: { runs: "read", memos: "read", sessions: "write", control: "write", ledger: "append" },
    env: [ENV.config, ENV.writesPerMinute],
  },
  httpKeys: {
    ...http,
    file: "functions/http-keys.ts",
    routes: [post("/api/keys"), get("/api/keys"), del("/api/keys/{id}")],
    tables: { control: "read", sessions: "write", ledger: "append" },
    rows: { ...guards, key: "use" },
    pepper: true,
    people: true,
    env: [ENV.writesPerMinute],
  },
  httpMcp: {
    ...http,
    file: "functions/http-mcp.ts",
    // Without streams and sessions of the protocol there is nothing to GET or DELETE; clients ask all the same.
    routes: [post("/mcp"), open(get("/mcp")), open(del("/mcp"))],
    tables: {
      memos: "write",
      control: "write",
      sessions: "write",
      lanes: "write",
      queue: "write",
      runs: "write",
      ledger: "append",
    },
    sends: ["wake"],
    env: [ENV.config, ENV.writesPerMinute],
  },
  httpCron: {
    ...http,
    file: "functions/http-cron.ts",
    routes: [open(get("/api/internal/cron/run-workflows"))],
    tables: {
      runs: "write",
      queue: "write",
      lanes: "write",
      memos: "write",
      control: "write",
      ledger: "append",
    },
    sends: ["run", "wake"],
    env: [ENV.internalKey, ENV.stage, ENV.stuckRunMs, ENV.config],
  },
  httpDeadLetters: {
    ...http,
    file: "functions/http-dead-letters.ts",
    routes: [open(get("/api/internal/dead-letters")), open(post("/api/internal/dead-letters/redrive"))],
    tables: {},
    sends: ["run", "wake"],
    redrives: ["run", "wake"],
    env: [ENV.internalKey],
  },
  steward: {
    ...http,
    file: "functions/steward.ts",
    routes: [
      post("/api/holds/{id}/decision"),
      post("/api/holds/{id}/take-back"),
      post("/api/holds/reject"),
      post("/api/holds/{id}/snooze"),
      del("/api/holds/{id}/snooze"),
      post("/api/sign-in-links"),
      // The pages: whoever is signed in to them is known by a cookie.
      open(get("/steward")),
      open(get("/steward/{path+}")),
      open(post("/steward/{path+}")),
    ],
    tables: {
      runs: "write",
      memos: "read",
      sessions: "write",
      control: "write",
      ledger: "append",
      // A person asks for a pass of the session steward.
      queue: "write",
      lanes: "write",
    },
    // A page session ends with the key that opened it; no other function makes one.
    rows: { key: "stamp", page: "use" },
    people: true,
    sends: ["run", "wake"],
    env: [ENV.config, ENV.writesPerMinute],
  },
  scheduleResume: {
    file: "functions/schedule-resume.ts",
    timeoutSec: 60,
    memoryMb: 256,
    schedule: { everyMin: 5 },
    tables: { runs: "write", queue: "write", lanes: "write", control: "write" },
    sends: ["run", "wake"],
  },
  schedulePass: {
    file: "functions/schedule-pass.ts",
    timeoutSec: 60,
    memoryMb: 512,
    schedule: { everyMin: 5 },
    tables: { runs: "write", queue: "write", lanes: "write", memos: "read", control: "write" },
    sends: ["run", "wake"],
    env: [ENV.stage, ENV.config],
  },
  scheduleRecover: {
    file: "functions/schedule-recover.ts",
    timeoutSec: 60,
    memoryMb: 512,
    schedule: { everyMin: 5 },
    tables: {
      runs: "write",
      queue: "write",
      lanes: "write",
      memos: "write",
      control: "write",
      ledger: "append",
    },
    sends: ["run", "wake"],
    env: [ENV.stage, ENV.stuckRunMs, ENV.config],
  },
  queueWake: {
    file: "functions/queue-wake.ts",
    timeoutSec: 60,
    memoryMb: 512,
    queue: { name: "wake", batchSize: 10, maxConcurrency: 2 },
    tables: { runs: "write", queue: "write", lanes: "write", memos: "read", control: "write" },
    sends: ["run", "wake"],
    recursion: "allow",
    env: [ENV.stage, ENV.config],
  },
  queueRun: {
    file: "functions/queue-run.ts",
    timeoutSec: 900,
    memoryMb: 1024,
    // One run an invocation: a run may take the whole timeout.
    queue: { name: "run", batchSize: 1, maxConcurrency: 10 },
    tables: {
      runs: "write",
      queue: "write",
      lanes: "write",
      memos: "write",
      control: "write",
      // The session steward ends sessions and remembers its verdicts.
      sessions: "write",
      ledger: "append",
    },
    sends: ["run", "wake"],
    env: [ENV.stage, ENV.config],
    recursion: "allow",
    model: true,
  },
} as const satisfies Record<string, FunctionDeclaration>;
export type FunctionName = keyof typeof FUNCTIONS;
