import type { memoView } from "../memos/edit.ts";
import { Said, When } from "./format.tsx";
import { Compared, Versions, type VersionPage } from "./memo-history.tsx";
import { Hash, MemoTexts, Provenance, Tags, TextTabs } from "./memo-marks.tsx";
import type { Html, Shown } from "./shown.ts";

type View = ReturnType<typeof memoView>;
/** A workflow that names the memo, and as what. */
export type MemoUse = { workflowId: string; command: string; title: string; how: readonly string[] };
export type OpenHold = { holdId: string; title: string | null; openedAt: number };

export type MemoModel = {
  memo: View;
  versions: VersionPage;
  used: { uses: readonly MemoUse[]; unread: number };
  holds: readonly OpenHold[];
  compared: { from: View; to: View } | null;
};

/** A memo: what it says, how it came to say it, and who needs it. */
export function MemoPage({ memo, versions, used, holds, compared }: MemoModel, shown: Shown): Html {
  const path = `/steward/memos/${memo.memoId}`;
  const isRaw = shown.query["as"] === "raw";
  return (
    <>
      <div class="head">
        <div class="titled">
          <h1>
            <Said text={memo.title} />
          </h1>
          <Provenance memo={memo} now={shown.at} />
        </div>
        <TextTabs path={path} isRaw={isRaw} />
      </div>
      {holds.map((hold) => (
        <p class="note warn">
          Something waits for a decision that would change this memo:{" "}
          <a href={`/steward/holds/${hold.holdId}`}>
            <Said text={hold.title ?? hold.holdId} />
          </a>
          , since <When at={hold.openedAt} now={shown.at} />.
        </p>
      ))}
      <p class="marks">
        <Tags tags={memo.tags} />
        <span class="quiet small">
          {memo.visibility} · sha-256 <Hash of={memo.contentHash} />
          {memo.memoType === "workflow" && (
            <>
              {" "}
              · <a href={`/steward/workflows/${memo.memoId}`}>see it as a workflow</a>
            </>
          )}
        </span>
      </p>
      {compared ? <Compared {...compared} path={path} /> : <MemoTexts memo={memo} isRaw={isRaw} />}
      <Versions versions={versions} path={path} shown={shown} />
      <Used {...used} />
    </>
  );
}

const HOW: Record<string, string> = {
  gate: "always loads it",
  hook: "loads it at a step",
  trigger: "loads it when a condition holds",
  include: "reads it as a source",
  target: "writes to it",
};

const Used = ({ uses, unread }: MemoModel["used"]): Html => (
  <section class="sheet" aria-labelledby="used">
    <h2 id="used">Used by</h2>
    {uses.length === 0 ? (
      <p class="quiet">No workflow names this memo; a search of one may still find it.</p>
    ) : (
      <ul>
        {uses.map(({ workflowId, command, title, how }) => (
          <li>
            <a href={`/steward/workflows/${workflowId}`}>
              <code>{command}</code> <Said text={title} />
            </a>{" "}
            {how.map((each) => HOW[each] ?? each).join(", ")}
          </li>
        ))}
      </ul>
    )}
    {unread > 0 && (
      <p class="quiet small">Looked for in the 25 workflows that changed last, of {unread + 25}.</p>
    )}
  </section>
);
