import * as z from "zod";
import { AppError, ERRORS, isAppError } from "../../lib/core/errors.ts";
import { inParallel } from "../../lib/core/in-parallel.ts";
import { ManyDone, RejectManyPage } from "../../lib/pages/hold-many.tsx";
import { MAX_REJECTED, rejectMany } from "../../lib/runs/reject-many.ts";
import { snoozeHold } from "../../lib/runs/snooze-hold.ts";
import { checked } from "../middleware/parse-body.ts";
import { RejectReason } from "../steward-inbox.ts";
import type { Form } from "./form.ts";
import { askingOf, deciderForm, reasonOf } from "./hold-form.ts";
import { chosenOf, withTitles } from "./hold-chosen.ts";
import type { PageDeps } from "./page-deps.ts";
import type { PageContext } from "./page-request.ts";
import { showPage, type PagesApp } from "./page.ts";

/** A hold as a list names it: its id, and the bytes that were shown. */
const Named = z
  .string()
  .regex(/^\S{1,200} sha256:[0-9a-f]{64}$/)
  .transform((named) => {
    const [holdId = "", sha256 = ""] = named.split(" ");
    return { holdId, sha256 };
  });
const AT_ONCE = 8;

/** What is done with many holds at once: they are rejected for one reason, or hidden for a day. */
export function holdsAtOnce(app: PagesApp, deps: PageDeps): void {
  app.post("/steward/holds/many", async (c) => {
    const form = await deciderForm(deps, c, "");
    const named = namedIn(form);
    if (form.text("act") === "snooze") return snoozeAll(deps, c, named);
    const { reason } = reasonOf(form);
    if (form.text("act") !== "reject-all" || reason === undefined) {
      const chosen = await chosenOf(deps, c, named);
      const isMissing = form.text("act") === "reject-all";
      const view = { title: () => "Reject", view: RejectManyPage };
      return showPage(c, view, { chosen, isMissing }, isMissing ? 400 : 200);
    }
    checked(z.object({ reason: RejectReason }), { reason }, "form");
    const rejected = await rejectMany(deps, askingOf(c), { holds: named, reason });
    const rows = await withTitles(deps, c, rejected);
    return showPage(c, { title: () => "Rejected", view: ManyDone }, { rows, did: "rejected" });
  });
}

/** @throws {AppError} invalid_request */
function namedIn(form: Form): z.infer<typeof Named>[] {
  const parsed = z.array(Named).min(1).max(MAX_REJECTED).safeParse(form.all("hold"));
  if (parsed.success) return parsed.data;
  const message = `choose between one hold and ${MAX_REJECTED}`;
  throw new AppError("invalid_request", `no hold was chosen that there may be: ${message}`, {
    failing: [{ pointer: "/hold", message }],
  });
}

async function snoozeAll(
  deps: PageDeps,
  c: PageContext,
  named: readonly { holdId: string; sha256: string }[],
): Promise<Response> {
  const done = await inParallel(named, AT_ONCE, async ({ holdId }) => {
    try {
      await snoozeHold(deps, holdId, askingOf(c), "1d");
      return { holdId, outcome: "applied" };
    } catch (error) {
      if (!isAppError(error) || ERRORS[error.code].disposition !== "reject") throw error;
      return { holdId, outcome: error.code, detail: error.message };
    }
  });
  if (done.every(({ outcome }) => outcome === "applied")) return c.redirect("/steward/holds", 303);
  const rows = await withTitles(deps, c, done);
  return showPage(c, { title: () => "Snoozed", view: ManyDone }, { rows, did: "snoozed" });
}
