import { Said, When } from "./format.tsx";
import type { HoldModel } from "./hold.tsx";
import type { Html, Shown } from "./shown.ts";

/** What a person should know before they read: each in one sentence, with where to look. */
export function Flags({ model, shown }: { model: HoldModel; shown: Shown }): Html {
  const { hold, now, before, snoozedUntil } = model;
  const to = (view: string): string => `/steward/holds/${hold.holdId}?view=${view}`;
  const failed = (hold.proposal?.guards ?? []).filter(({ passed }) => !passed);
  return (
    <>
      {hold.kind === "conflict" && hold.open && (
        <p class="note warn">
          The draft was approved, but somebody changed the memo before it landed. Nothing was overwritten: say
          how the two go together.
        </p>
      )}
      {hold.open && hold.kind === "output" && hold.targetChanged && (
        <div class="note warn">
          <p>
            This memo changed after it was drafted
            {now ? (
              <>
                {" "}
                (version {before?.contentVersion ?? "?"} → {now.contentVersion}, by{" "}
                <Said text={now.writtenBy} /> <When at={now.updatedAt} now={shown.at} />)
              </>
            ) : (
              ": it was deleted"
            )}
            . An approval overwrites nothing: it asks again how the two go together.
          </p>
          {now && (
            <p>
              <a href={to("since")}>What changed since</a>
            </p>
          )}
        </div>
      )}
      {failed.map(({ guard, message }) => (
        <p class="note bad">
          The guard <code>{guard}</code> refused it: <Said text={message} />.
        </p>
      ))}
      {hold.revises !== null && hold.kind === "output" && (
        <p class="note">
          Draft {hold.revision}: written again after{" "}
          <a href={`/steward/holds/${hold.revises}`}>the last one</a> was sent back.{" "}
          <a href={to("revised")}>What has changed between the two</a>
        </p>
      )}
      {snoozedUntil !== null && hold.open && (
        <p class="note">
          You snoozed it: it is back in your list <When at={snoozedUntil} now={shown.at} />.
        </p>
      )}
    </>
  );
}
