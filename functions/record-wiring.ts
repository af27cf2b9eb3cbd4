import { createAudit, type Audit } from "../lib/audit/note.ts";
import { createAuditStore } from "../lib/audit/store.ts";
import { createNoticeStore, type NoticeStore } from "../lib/notices/store.ts";
import { createSnoozeStore, type SnoozeStore } from "../lib/snoozes/store.ts";
import { ENV } from "./env.ts";
import type { Wiring } from "./wiring.ts";

/** The ledger, as the record of what was asked for and refused. */
export const auditOf = ({ doc, env }: Wiring): Audit =>
  createAudit(createAuditStore(doc, env(ENV.ledgerTable)));

/** What owners are told. */
export const noticesOf = ({ doc, env }: Wiring): NoticeStore =>
  createNoticeStore(doc, { control: env(ENV.controlTable) });

/** Holds that stewards do not want to see for a while. */
export const snoozesOf = ({ doc, env }: Wiring): SnoozeStore =>
  createSnoozeStore(doc, { control: env(ENV.controlTable) });
