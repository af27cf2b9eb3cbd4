import type { Condition, Load, Manifest } from "../workflows/manifest.ts";
import { count, Said } from "./format.tsx";
import type { Html } from "./shown.ts";

/** What it is asked with. */
export const Inputs = ({ inputs }: { inputs: Manifest["trigger"]["inputs"] }): Html => (
  <div class="scroll" tabindex={0} role="region" aria-label="Inputs">
    <table>
      <thead>
        <tr>
          <th scope="col">Input</th>
          <th scope="col">Type</th>
          <th scope="col">Must be there</th>
          <th scope="col">What it is</th>
        </tr>
      </thead>
      <tbody>
        {inputs.map((input) => (
          <tr>
            <th scope="row">
              <code>
                <Said text={input.name} />
              </code>
            </th>
            <td>{input.type}</td>
            <td>{input.required ? "yes" : "no"}</td>
            <td class="text">
              <Said text={input.description} />
              {input.default !== undefined && (
                <span class="quiet">
                  {" "}
                  without it{" "}
                  <code>
                    <Said text={JSON.stringify(input.default)} />
                  </code>
                </span>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

/** What is read beside what it is asked, when, and why. */
export const Loads = ({ load }: { load: readonly Load[] }): Html => (
  <div class="scroll" tabindex={0} role="region" aria-label="What it loads">
    <table>
      <thead>
        <tr>
          <th scope="col">What</th>
          <th scope="col">When</th>
          <th scope="col">Why</th>
        </tr>
      </thead>
      <tbody>
        {load.map((each) => (
          <tr>
            <th scope="row">
              {each.class === "search" ? <SearchOf load={each} /> : <MemoOf memo={each.memo} />}
            </th>
            <td class="text">{whenText(each)}</td>
            <td class="text">
              <Said text={each.why ?? "–"} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

const MemoOf = ({ memo: { ref, id } }: { memo: { ref: string; id: string | null } }): Html =>
  id === null ? (
    <Said text={ref} />
  ) : (
    <a href={`/steward/memos/${id}`}>
      <Said text={ref} />
    </a>
  );

const SearchOf = ({ load }: { load: Load & { class: "search" } }): Html => (
  <>
    search{" "}
    <code>
      <Said text={[load.query, load.filter].filter(Boolean).join(" ")} />
    </code>
  </>
);

/** A condition in the words of its author. */
export const conditionText = ({ path, operator, value, flags }: Condition): string =>
  [path, operator, value === null ? "" : operator === "matches" ? `/${value}/${flags ?? ""}` : `“${value}”`]
    .join(" ")
    .trim();

function whenText(load: Load): Html {
  switch (load.class) {
    case "gate":
      return <>always; no run without it</>;
    case "hook":
      return (
        <>
          at step{" "}
          <code>
            <Said text={load.at} />
          </code>
          , always
        </>
      );
    case "trigger":
      return (
        <>
          when <Said text={conditionText(load.when)} />
        </>
      );
    case "search":
      return (
        <>
          {load.at === null ? (
            "at the start"
          ) : (
            <>
              at step{" "}
              <code>
                <Said text={load.at} />
              </code>
            </>
          )}
          , top {load.top}
          {load.maxTokens !== null && `, up to ${count(load.maxTokens)} tokens`}
          {load.atLeast > 0 && `, at least ${load.atLeast} or it fails`}
        </>
      );
  }
}
