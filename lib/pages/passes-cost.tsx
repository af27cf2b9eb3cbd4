import { count, money } from "./format.tsx";
import { Tabs } from "./tabs.tsx";
import { Short } from "./runs-words.tsx";
import type { Html, Shown } from "./shown.ts";

type Cost = { tokens: number; calls: number; costMicroUsd: number | null; unpricedCalls: number };
export type CostModel = {
  by: "workflow" | "day" | "session" | "model";
  days: number;
  from: string;
  to: string;
  pricesAsOf: readonly string[];
  complete: boolean;
  /** Cheaper lines that are not listed. */
  leftOut: number;
  total: Cost;
  items: readonly (Cost & { key: string | null; name: string | null })[];
};

const BY = [
  ["workflow", "Workflow"],
  ["day", "Day"],
  ["model", "Model"],
  ["session", "Session"],
] as const;
const SINCE = [
  ["1d", "Today"],
  ["7d", "7 days"],
  ["30d", "30 days"],
  ["92d", "92 days"],
] as const;

/** What calls of models cost. */
export function CostPage(model: CostModel, shown: Shown): Html {
  const { by, items, total, complete, pricesAsOf, leftOut } = model;
  return (
    <>
      <div class="head">
        <h1>Cost</h1>
        <Tabs
          label="Of which days"
          name="since"
          standard="7d"
          on={`${model.days}d`}
          of={SINCE}
          shown={shown}
        />
      </div>
      <dl class="stats">
        <div>
          <dt>
            {model.from} to {model.to}, UTC
          </dt>
          <dd>{money(total.costMicroUsd)}</dd>
        </div>
        <div>
          <dt>Tokens</dt>
          <dd>{count(total.tokens)}</dd>
        </div>
        <div>
          <dt>Calls of models</dt>
          <dd>{count(total.calls)}</dd>
        </div>
      </dl>
      {total.unpricedCalls > 0 && (
        <p class="note warn">
          {count(total.unpricedCalls)} calls have no price, so nobody can say the whole sum. A price is set
          under <code>pricing</code> in <code>config.json</code>.
        </p>
      )}
      {!complete && <p class="note">There was too much to add up: what is oldest is left out.</p>}
      <Tabs label="By what" name="by" standard="workflow" on={by} of={BY} shown={shown} />
      {items.length === 0 ? (
        <div class="empty">
          <p class="lead">Nothing was spent.</p>
          <p>What a run’s calls of models cost stands here from the moment they are answered.</p>
        </div>
      ) : (
        <Lines by={by} items={items} />
      )}
      <p class="quiet small">
        {leftOut > 0 && `${count(leftOut)} cheaper lines are not listed. `}
        {pricesAsOf.length > 0 && `By prices of ${pricesAsOf.join(", ")}. `}
        Costs are computed from tokens; the provider’s bill decides.
      </p>
    </>
  );
}

function Lines({ by, items }: Pick<CostModel, "by" | "items">): Html {
  // Where nothing has a price, tokens say as well which line is the largest.
  const hasPrices = items.some(({ costMicroUsd }) => (costMicroUsd ?? 0) > 0);
  const sizeOf = ({ costMicroUsd, tokens }: Cost): number => (hasPrices ? (costMicroUsd ?? 0) : tokens);
  const most = Math.max(1, ...items.map(sizeOf));
  const what = BY.find(([value]) => value === by)?.[1];
  return (
    <section class="sheet" aria-label={`By ${by}`}>
      <div class="scroll" tabindex={0} role="region" aria-label={`Cost by ${by}`}>
        <table>
          <thead>
            <tr>
              <th scope="col">{what}</th>
              <th scope="col" class="number">
                Cost
              </th>
              <th scope="col" class="wide">
                <span class="visually-hidden">Share of the largest</span>
              </th>
              <th scope="col" class="number">
                Tokens
              </th>
              <th scope="col" class="number">
                Calls
              </th>
            </tr>
          </thead>
          <tbody>
            {items.map((line) => (
              <tr>
                <th scope="row">
                  <Name by={by} line={line} />
                </th>
                <td class="number">{money(line.costMicroUsd)}</td>
                <td class="wide">
                  <svg width="100%" height="8" aria-hidden="true">
                    <rect class="svg-track" width="100%" height="8" rx="4" />
                    {sizeOf(line) > 0 && (
                      <rect
                        class="svg-accent"
                        width={`${((sizeOf(line) / most) * 100).toFixed(1)}%`}
                        height="8"
                        rx="4"
                      />
                    )}
                  </svg>
                </td>
                <td class="number">{count(line.tokens)}</td>
                <td class="number">{count(line.calls)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Name({ by, line: { key, name } }: { by: CostModel["by"]; line: CostModel["items"][number] }): Html {
  if (key === null) return <span class="quiet">without a session</span>;
  const text = <Short text={name ?? key} />;
  if (by === "workflow") return <a href={`/steward/workflows/${key}`}>{text}</a>;
  if (by === "session") return <a href={`/steward/sessions/${encodeURIComponent(key)}`}>{text}</a>;
  return text;
}
