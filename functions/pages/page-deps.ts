import type { KeyStore } from "../../lib/api-keys/store.ts";
import type { AuditStore } from "../../lib/audit/store.ts";
import type { EnqueueDeps } from "../../lib/intake/enqueue-item.ts";
import type { WorkflowLibrary } from "../../lib/intake/workflow-library.ts";
import type { LoopStore } from "../../lib/loops/store.ts";
import type { Catalog } from "../../lib/memos/catalog.ts";
import type { MemoStore } from "../../lib/memos/store.ts";
import type { Search } from "../../lib/memos/search.ts";
import type { NoticeStore } from "../../lib/notices/store.ts";
import type { PageSessionStore } from "../../lib/page-sessions/store.ts";
import type { PassStore } from "../../lib/passes/store.ts";
import type { QueueStore } from "../../lib/queue/store.ts";
import type { OnRecordDeps } from "../../lib/runs/on-record.ts";
import type { PreviewDeps } from "../../lib/runs/preview.ts";
import type { SnoozeDeps } from "../../lib/runs/snooze-hold.ts";
import type { RunStore } from "../../lib/runs/store.ts";
import type { SessionStore } from "../../lib/sessions/store.ts";
import type { SpendStore } from "../../lib/spend/store.ts";
import type { VerdictLedger } from "../../lib/steward/store.ts";
import type { Limiter } from "../../lib/rate-limits/limiter.ts";
import type { SignIn } from "../middleware/sign-in.ts";
import type { Log } from "../middleware/log.ts";

/** What the pages are made from; each group of them takes the part that it needs. */
export type PageDeps = OnRecordDeps &
  SnoozeDeps &
  EnqueueDeps & {
    log: Log;
    /** Whose tokens are people of whose library, where an issuer is set up. */
    signIn?: SignIn | undefined;
    limiter?: Limiter;
    /** 256 random bits, safe in a cookie. */
    secret: () => string;
    keys: Pick<KeyStore, "readKey">;
    pageSessions: PageSessionStore;
    runs: RunStore;
    queue: QueueStore;
    sessions: SessionStore;
    passes: PassStore;
    audits: AuditStore;
    /** What stewards thought of sessions, and what people said of it. */
    ledger: VerdictLedger;
    loops: LoopStore;
    notices: NoticeStore;
    spend: SpendStore;
    memos: MemoStore;
    bundledHashes: ReadonlyMap<string, string>;
    catalog: Catalog;
    workflows: WorkflowLibrary;
    search: Search;
    preview: PreviewDeps;
  };
