import { count, Said } from "./format.tsx";
import type { Hold } from "./hold.tsx";
import type { Html } from "./shown.ts";
import { TextDiff } from "./text-diff.tsx";

/** What the memo would be with both changes in it. */
export function Merge({ hold: { conflict, proposal } }: { hold: Hold }): Html {
  if (!conflict || !proposal) return <></>;
  const { theirs, merged, why } = conflict;
  if (!theirs) {
    return (
      <p>
        {why === null ? "" : `Here ${why}: `}the draft can only become a memo of its own. It is under
        Rendered.
      </p>
    );
  }
  if (!merged || merged.conflicts > 0) {
    return (
      <>
        <p>
          {count(merged?.conflicts ?? 1)} {merged?.conflicts === 1 ? "place was" : "places were"} changed on
          both sides, so nobody can merge them but you. Below is what the draft would do to version{" "}
          {theirs.contentVersion} if it replaced it.
        </p>
        <TextDiff before={theirs.text} after={proposal.text} />
      </>
    );
  }
  return (
    <>
      <p class="quiet small">
        Both changes fit together. This is what a merge does to version {theirs.contentVersion}, which{" "}
        <Said text={theirs.writtenBy.username} /> wrote.
      </p>
      <TextDiff before={theirs.text} after={merged.text} />
    </>
  );
}
