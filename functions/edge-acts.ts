import type { Principal } from "../lib/core/principal.ts";
import { AppError } from "../lib/core/errors.ts";
import { acknowledgeEdge, answerEdge, EdgeAnswer, leaveEdge, resolveEdge } from "../lib/edges/lifecycle.ts";
import { readMemo } from "../lib/memos/read.ts";
import type { EdgeDeps } from "./edge-wiring.ts";
import { route } from "./middleware/route.ts";

const whose = (principal: Principal, edgeId: string) => ({
  ownerUid: principal.ownerUid,
  edgeId,
  by: principal.principalId,
});
type Whose = ReturnType<typeof whose>;

/** What people say of edges. A scope of theirs, since later runs are given what is said. */
export function edgeActs(deps: EdgeDeps) {
  const act = (doIt: (deps: EdgeDeps, of: Whose) => Promise<unknown>) =>
    route({
      scope: "holds:decide",
      async run({ principal, params }) {
        return { status: 200, body: await doIt(deps, whose(principal, params["id"] ?? "")) };
      },
    });
  return {
    "POST /api/edges/{id}/answer": route({
      scope: "holds:decide",
      body: EdgeAnswer,
      async run({ principal, params, body }) {
        if (body.memoId !== undefined && !(await readMemo(deps, principal.ownerUid, body.memoId))) {
          throw new AppError("memo_not_found", `there is no memo ${body.memoId}`, { memoId: body.memoId });
        }
        return { status: 200, body: await answerEdge(deps, whose(principal, params["id"] ?? ""), body) };
      },
    }),
    "POST /api/edges/{id}/acknowledge": act(acknowledgeEdge),
    "POST /api/edges/{id}/resolve": act(resolveEdge),
    "POST /api/edges/{id}/leave": act(leaveEdge),
  };
}
