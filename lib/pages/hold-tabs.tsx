import type { HoldModel, HoldView } from "./hold.tsx";
import type { Html } from "./shown.ts";

export const HOLD_VIEWS = [
  "merge",
  "diff",
  "since",
  "revised",
  "rendered",
  "raw",
  "payload",
  "loaded",
  "edit",
] as const;

const NAMES: Record<Exclude<HoldView, "edit">, string> = {
  merge: "Merge",
  diff: "Diff",
  since: "Changed since",
  revised: "Since last draft",
  rendered: "Rendered",
  raw: "Raw",
  payload: "Payload",
  loaded: "Loaded",
};

type Kinds = Pick<HoldModel["hold"], "kind" | "proposal" | "targetChanged" | "revises" | "open">;

/** What a person sees first: what would change, or for a new memo the memo. */
export function standardView({ kind, proposal, open }: Kinds): HoldView {
  if (kind === "budget") return "payload";
  if (kind === "conflict" && open) return "merge";
  return proposal?.target.kind === "update" ? "diff" : "rendered";
}

function viewsOf({ kind, proposal, targetChanged, revises, open }: Kinds): HoldView[] {
  const isUpdate = proposal?.target.kind === "update";
  const views: [HoldView, boolean][] = [
    ["merge", kind === "conflict" && open],
    ["rendered", kind !== "budget"],
    ["diff", isUpdate],
    ["since", isUpdate && targetChanged === true],
    ["revised", revises !== null && kind !== "budget"],
    ["raw", kind !== "budget"],
    ["payload", true],
    ["loaded", true],
  ];
  return views.filter(([, fits]) => fits).map(([view]) => view);
}

/** What may be looked at, as links. */
export function HoldTabs({ model: { hold, view, loads } }: { model: HoldModel }): Html {
  const read = loads.filter(({ loaded }) => loaded).length;
  const first = standardView(hold);
  return (
    <nav class="tabs" aria-label="Ways to look at it">
      <ul>
        {viewsOf(hold).map((each) => (
          <li>
            <a
              href={`/steward/holds/${hold.holdId}${each === first ? "" : `?view=${each}`}`}
              aria-current={each === view ? "true" : undefined}
            >
              {NAMES[each as Exclude<HoldView, "edit">]}
              {each === "loaded" && ` (${read})`}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
