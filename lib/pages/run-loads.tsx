import type { LoadRecord } from "../runs/plan.ts";
import { count, Said } from "./format.tsx";
import type { Html } from "./shown.ts";

/** What the run read, and why the rest of what its contract names was left out. */
export function Loads({ loads }: { loads: readonly LoadRecord[] }): Html {
  if (loads.length === 0) return <></>;
  const read = loads.filter(({ loaded }) => loaded);
  const skipped = loads.filter(({ loaded }) => !loaded);
  const tokens = read.reduce((sum, load) => sum + (load.tokens ?? 0), 0);
  return (
    <section class="sheet" aria-labelledby="loads">
      <div class="head">
        <h2 id="loads">What it read</h2>
        <p class="quiet small">
          {count(read.length)} {read.length === 1 ? "text" : "texts"}, about {count(tokens)} tokens
        </p>
      </div>
      {read.length > 0 && <LoadTable loads={read} label="What was loaded" />}
      {skipped.length > 0 && (
        <details>
          <summary>{count(skipped.length)} left out, and why</summary>
          <LoadTable loads={skipped} label="What was left out" />
        </details>
      )}
    </section>
  );
}

const LoadTable = ({ loads, label }: { loads: readonly LoadRecord[]; label: string }): Html => (
  <div class="scroll" tabindex={0} role="region" aria-label={label}>
    <table>
      <thead>
        <tr>
          <th scope="col">Text</th>
          <th scope="col">As</th>
          <th scope="col" class="words">
            Why
          </th>
          <th scope="col">Seen by</th>
          <th scope="col" class="number">
            Tokens
          </th>
        </tr>
      </thead>
      <tbody>
        {loads.map((load) => (
          <tr>
            <th scope="row" class="words">
              {load.memoId === undefined ? (
                <Said text={load.title ?? load.ref} />
              ) : (
                <>
                  <a href={`/steward/memos/${load.memoId}`}>
                    <Said text={load.title ?? load.memoId} />
                  </a>{" "}
                  {load.contentVersion !== undefined && <span class="quiet">v{load.contentVersion}</span>}
                </>
              )}
            </th>
            <td>{load.class}</td>
            <td>
              <Said text={load.reason} />
              {load.score !== undefined && <span class="quiet"> score {load.score.toFixed(2)}</span>}
            </td>
            <td>{load.at === null ? "every step" : <code>{load.at}</code>}</td>
            <td class="number">{load.tokens === undefined ? "–" : count(load.tokens)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);
