import type { memoView } from "../memos/edit.ts";
import { Said } from "./format.tsx";
import { Hash, MemoTexts, Provenance, Tags, TextTabs } from "./memo-marks.tsx";
import type { Html, Shown } from "./shown.ts";

export type MemoVersionModel = { version: ReturnType<typeof memoView>; newest: number };

/** A memo as it was. */
export function MemoVersion({ version, newest }: MemoVersionModel, shown: Shown): Html {
  const { memoId, contentVersion, title, tags, contentHash } = version;
  const path = `/steward/memos/${memoId}`;
  const isRaw = shown.query["as"] === "raw";
  return (
    <>
      <div class="head">
        <div class="titled">
          <p class="quiet small">
            <a href={path}>The memo as it is</a>
          </p>
          <h1>
            <Said text={title} />
          </h1>
          <Provenance memo={version} now={shown.at} />
        </div>
        <TextTabs path={`${path}/versions/${contentVersion}`} isRaw={isRaw} />
      </div>
      {contentVersion < newest && (
        <p class="note">
          This is not how the memo is now: it is at version {newest}.{" "}
          <a href={`${path}?from=${contentVersion}&to=${newest}`}>See what changed since</a>
        </p>
      )}
      <p class="marks">
        <Tags tags={tags} />
        <span class="quiet small">
          sha-256 <Hash of={contentHash} />
        </span>
      </p>
      <MemoTexts memo={version} isRaw={isRaw} />
    </>
  );
}
