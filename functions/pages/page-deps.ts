import type { KeyStore } from "../../lib/api-keys/store.ts";
import type { WorkflowLibrary } from "../../lib/intake/workflow-library.ts";
import type { Catalog } from "../../lib/memos/catalog.ts";
import type { PageSessionStore } from "../../lib/page-sessions/store.ts";
import type { OnRecordDeps } from "../../lib/runs/on-record.ts";
import type { RunStore } from "../../lib/runs/store.ts";
import type { MemoStore } from "../../lib/memos/store.ts";
import type { SnoozeDeps } from "../../lib/runs/snooze-hold.ts";
import type { Log } from "../middleware/log.ts";

/** What the pages are made from; each group of them takes the part that it needs. */
export type PageDeps = OnRecordDeps &
  SnoozeDeps & {
    log: Log;
    /** 256 random bits, safe in a cookie. */
    secret: () => string;
    keys: Pick<KeyStore, "readKey">;
    pageSessions: PageSessionStore;
    runs: RunStore;
    memos: MemoStore;
    catalog: Catalog;
    workflows: WorkflowLibrary;
  };
