import * as z from "zod";
import { MAX_REJECTED, rejectMany } from "../lib/runs/reject-many.ts";
import { noteDenied, type OnRecordDeps } from "../lib/runs/on-record.ts";
import { snoozeHold, unsnoozeHold, type SnoozeDeps } from "../lib/runs/snooze-hold.ts";
import { route, type HttpRequest } from "./middleware/route.ts";

/** The sha of what was shown, as a hold has it. */
export const ShownSha = z
  .string()
  .regex(/^sha256:[0-9a-f]{64}$/, 'expected the hold\'s "sha256:" and 64 hexadecimal digits');

/** Named by a client that may repeat its request. */
export const DecisionId = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,80}$/, "expected 1 to 80 letters, digits, _ or -");

/** Why many are rejected, in the words that each then has on it. */
export const RejectReason = z.string().trim().min(1).max(2000);

const RejectBody = z.strictObject({
  holds: z
    .array(
      z.strictObject({
        holdId: z.string().min(1).max(200),
        sha256: ShownSha,
        decisionId: DecisionId.optional(),
      }),
    )
    .min(1)
    .max(MAX_REJECTED),
  reason: RejectReason,
});

const SnoozeBody = z.strictObject({ until: z.string().min(1).max(40) });

/** What a steward does with a whole inbox: rejects many at once, hides some for a while. */
export function inboxRoutes(deps: OnRecordDeps & SnoozeDeps) {
  return {
    "POST /api/holds/reject": route({
      scope: "holds:decide",
      body: RejectBody,
      denied: (request) => noteDenied(deps, "", askingOf(request)),
      async run(request) {
        return { status: 200, body: { items: await rejectMany(deps, askingOf(request), request.body) } };
      },
    }),
    "POST /api/holds/{id}/snooze": route({
      scope: "holds:decide",
      body: SnoozeBody,
      async run(request) {
        const holdId = request.params["id"] ?? "";
        return { status: 200, body: await snoozeHold(deps, holdId, askingOf(request), request.body.until) };
      },
    }),
    "DELETE /api/holds/{id}/snooze": route({
      scope: "holds:decide",
      async run(request) {
        const holdId = request.params["id"] ?? "";
        return { status: 200, body: await unsnoozeHold(deps, holdId, askingOf(request)) };
      },
    }),
  };
}

/** Who asks, and in which session. */
export const askingOf = ({ principal, session }: Pick<HttpRequest, "principal" | "session">) => ({
  principal,
  sessionId: session,
});
