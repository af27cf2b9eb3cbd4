import type { PassRecord } from "../passes/store.ts";
import { count, When } from "./format.tsx";
import { foldQuiet, isQuiet } from "./passes-day.ts";
import type { Html, Shown } from "./shown.ts";
import { took } from "./timeline.tsx";

/** Counts that are always shown; the others only where one of them is not 0. */
const ALWAYS = 3;
const NUMBERS = [
  ["started", "Started"],
  ["failedItems", "Failed"],
  ["pending", "Pending"],
  ["fired", "By schedule"],
  ["resumed", "Resumed"],
  ["recovered", "Recovered"],
  ["redispatched", "Rung again"],
  ["exhausted", "Given up"],
  ["expired", "Expired"],
] as const satisfies readonly (readonly [keyof PassRecord, string])[];

/** What each pass reported; quiet ones beside each other are one row. */
export function PassTable({ passes, shown }: { passes: readonly PassRecord[]; shown: Shown }): Html {
  const columns = NUMBERS.filter(([name], at) => at < ALWAYS || passes.some((pass) => pass[name] > 0));
  return (
    <section class="sheet" aria-labelledby="reports">
      <h2 id="reports">Reports</h2>
      <div class="scroll" tabindex={0} role="region" aria-label="Reports of passes, newest first">
        <table>
          <thead>
            <tr>
              <th scope="col">When</th>
              <th scope="col">Round</th>
              {columns.map(([, name]) => (
                <th scope="col" class="number">
                  {name}
                </th>
              ))}
              <th scope="col" class="number">
                Took
              </th>
              <th scope="col">Set aside</th>
            </tr>
          </thead>
          <tbody>
            {foldQuiet(passes).map((group) =>
              isQuiet(group[0]!) ? (
                <Quiet group={group} columns={columns} shown={shown} />
              ) : (
                <Pass pass={group[0]!} columns={columns} shown={shown} />
              ),
            )}
          </tbody>
        </table>
      </div>
    </section>
  );
}

type Columns = readonly (typeof NUMBERS)[number][];

const Pass = ({ pass, columns, shown }: { pass: PassRecord; columns: Columns; shown: Shown }): Html => (
  <tr>
    <td class="nowrap">
      <When at={pass.at} now={shown.at} />
    </td>
    <td>{pass.round}</td>
    {columns.map(([name]) => (
      <td class={pass[name] === 0 ? "number nil" : "number"}>{count(pass[name])}</td>
    ))}
    <td class="number">{took(pass.ms)}</td>
    <td class="quiet">{skippedOf([pass])}</td>
  </tr>
);

/** Passes that only looked. */
const Quiet = (props: { group: readonly PassRecord[]; columns: Columns; shown: Shown }): Html => {
  const { group, columns, shown } = props;
  return (
    <tr>
      <td class="nowrap">
        <When at={group[0]!.at} now={shown.at} />
      </td>
      <td colspan={columns.length + 2} class="quiet">
        {group.length === 1 ? "1 quiet pass" : `${count(group.length)} quiet passes`}: nothing begun, nothing
        ended, {count(Math.max(...group.map(({ pending }) => pending)))} pending, 0 model calls
      </td>
      <td class="quiet">{skippedOf(group)}</td>
    </tr>
  );
};

/** Lanes and slots that were passed over, by reason. */
function skippedOf(passes: readonly PassRecord[]): string {
  const sums = new Map<string, number>();
  for (const { skipped } of passes) {
    for (const [reason, many] of Object.entries(skipped)) sums.set(reason, (sums.get(reason) ?? 0) + many);
  }
  return [...sums].map(([reason, many]) => `${reason.replaceAll("_", " ")} ${count(many)}`).join(", ");
}
