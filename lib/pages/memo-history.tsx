import type { memoView } from "../memos/edit.ts";
import type { Memo } from "../memos/memo.ts";
import { Pager, Said, When } from "./format.tsx";
import { Hash, WrittenBy } from "./memo-marks.tsx";
import type { Html, Shown } from "./shown.ts";
import { TextDiff } from "./text-diff.tsx";

type View = ReturnType<typeof memoView>;
type Version = Pick<
  Memo,
  "contentVersion" | "contentHash" | "notesHash" | "title" | "updatedAt" | "writtenBy" | "runId" | "sessionId"
>;
/** Versions, newest first, without their texts. */
export type VersionPage = { items: readonly Version[]; nextCursor: string | null };

/** What two versions differ in. */
export function Compared({ from, to, path }: { from: View; to: View; path: string }): Html {
  const isNoted = from.notes !== to.notes;
  return (
    <section class="sheet" aria-labelledby="compared">
      <div class="head">
        <h2 id="compared">
          From version {from.contentVersion} to version {to.contentVersion}
        </h2>
        <a href={path}>Back to the text</a>
      </div>
      {from.title !== to.title && (
        <p>
          Title:{" "}
          <del>
            <Said text={from.title} />
          </del>{" "}
          <ins>
            <Said text={to.title} />
          </ins>
        </p>
      )}
      <Marks what="Tags" from={from.tags} to={to.tags} />
      <Marks what="Visibility" from={[from.visibility]} to={[to.visibility]} />
      <TextDiff before={from.body} after={to.body} />
      {isNoted && (
        <>
          <h3>Notes</h3>
          <TextDiff before={from.notes} after={to.notes} />
        </>
      )}
    </section>
  );
}

function Marks(props: { what: string; from: readonly string[]; to: readonly string[] }): Html {
  const { what, from, to } = props;
  const gone = from.filter((each) => !to.includes(each));
  const fresh = to.filter((each) => !from.includes(each));
  if (gone.length + fresh.length === 0) return <></>;
  return (
    <p>
      {what}:{" "}
      {gone.map((each) => (
        <>
          <del>
            <Said text={each} />
          </del>{" "}
        </>
      ))}
      {fresh.map((each) => (
        <>
          <ins>
            <Said text={each} />
          </ins>{" "}
        </>
      ))}
    </p>
  );
}

/** The versions, any two of which can be compared. */
export function Versions(props: { versions: VersionPage; path: string; shown: Shown }): Html {
  const { versions, path, shown } = props;
  const [newest, second] = versions.items;
  const { from = second?.contentVersion, to = newest?.contentVersion } = shown.query;
  return (
    <section class="sheet" aria-labelledby="versions">
      <h2 id="versions">Versions</h2>
      <form method="get" action={path}>
        <div class="scroll" tabindex={0} role="region" aria-label="Versions, newest first">
          <table>
            <thead>
              <tr>
                <th scope="col">Version</th>
                <th scope="col">Written</th>
                <th scope="col">By</th>
                <th scope="col">sha-256</th>
                {second && <th scope="col">From</th>}
                {second && <th scope="col">To</th>}
              </tr>
            </thead>
            <tbody>
              {versions.items.map((version) => (
                <tr>
                  <th scope="row">
                    <a href={`${path}/versions/${version.contentVersion}`}>{version.contentVersion}</a>
                  </th>
                  <td>
                    <When at={version.updatedAt} now={shown.at} />
                  </td>
                  <td>
                    <WrittenBy by={version} />
                  </td>
                  <td>
                    <Hash of={version.contentHash} />
                  </td>
                  {second && <Choice name="from" of={version.contentVersion} on={from} />}
                  {second && <Choice name="to" of={version.contentVersion} on={to} />}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
        {second && (
          <div class="actions">
            <button type="submit">Compare</button>
          </div>
        )}
      </form>
      <Pager here={shown.here} nextCursor={versions.nextCursor} />
    </section>
  );
}

const Choice = ({
  name,
  of,
  on,
}: {
  name: "from" | "to";
  of: number;
  on: string | number | undefined;
}): Html => (
  <td>
    <input
      type="radio"
      name={name}
      value={String(of)}
      checked={String(of) === String(on)}
      aria-label={`${name} version ${of}`}
    />
  </td>
);
