import type { ConditionalWrite, Clause } from "../core/conditional-write.ts";
import { DAY_MS, MINUTE_MS } from "../core/duration.ts";
import { digestOf } from "../core/ids.ts";
import { TTL_ATTRIBUTE } from "../core/keys.ts";
import { MICRO } from "./amount.ts";
import type { DayBudget } from "./day.ts";

/** One day of a workflow, or with null of the owner's whole library. */
export type Day = { ownerUid: string; workflowId: string | null; at: number };

/** What a question has reserved of a day until its cost is known. */
export type Reserved = { runId: string; epoch: number; tokens: number; microUsd: number };

/** What one piece of work cost. A call without a price counts its tokens, and that it has none. */
export type Cost = {
  tokens: number;
  microUsd: number;
  calls: number;
  unpriced: number;
  /** As the configuration names it, so that a row has as many as there are configured. */
  model: string | null;
  /** The day of the price that was used. */
  asOf: string | null;
};

/** What a row says of one model. */
export type ModelSpend = { tokens: number; microUsd: number; calls: number; unpriced: number };

export type DayRow = ModelSpend & {
  day: string;
  ownerUid: string;
  workflowId: string;
  /** Settled and reserved together: what a limit is held against. */
  committed: { tokens: number; microUsd: number };
  reserved: ReadonlyMap<string, Reserved>;
  /** Marks of what was counted in the last windows, and the first window whose marks are kept. */
  counted: ReadonlySet<string>;
  marksFrom: number;
  models: ReadonlyMap<string, ModelSpend>;
  asOf: readonly string[];
};

/** How long a day's row is kept. */
const KEPT_MS = 100 * DAY_MS;

// Every number stands beside the others and not in a map, since an update can add to what is not there yet only so.
const RESERVED = "reserved#";
const MODEL = "model#";
const MODEL_NUMBERS = ["tokens", "microUsd", "calls", "unpriced"] as const;
/** Longer names of models are cut, so that no configuration makes a row large. */
const MODEL_MAX_LENGTH = 80;

/** A dot would lead into a map. */
const modelName = (model: string): string =>
  encodeURIComponent(model.slice(0, MODEL_MAX_LENGTH).toWellFormed()).replaceAll(".", "%2E");

/** The mark of a piece of work that was counted: about ten bytes for each one. */
export const markOf = (token: string): string => digestOf([token]).slice(0, 10);

/**
 * Marks stand by the half hour in which their work began, and those of the last three are kept: a repeat after a
 * crash comes within an hour, and a row of every mark of the day would make each write dearer than the one before.
 */
const WINDOW_MS = 30 * MINUTE_MS;
const WINDOWS_KEPT = 3;
const COUNTED = "counted#";

/** The half hour of the day in which a time lies, from 0. */
const windowOf = (at: number): number => Math.floor((at % DAY_MS) / WINDOW_MS);

/** Whether a row has gone on to windows beside which this time's is an earlier one: on time, late, or forgotten. */
export function timelinessOf({ marksFrom }: Pick<DayRow, "marksFrom">, at: number): Timeliness {
  if (windowOf(at) < marksFrom) return "forgotten";
  return firstKept(at) < marksFrom ? "late" : "on time";
}
export type Timeliness = "on time" | "late" | "forgotten";

const firstKept = (at: number): number => Math.max(0, windowOf(at) - WINDOWS_KEPT + 1);

type Marking = Required<Pick<ConditionalWrite, "add" | "set" | "remove" | "when">>;

/** What keeps a mark, and what tells that it was not there before. */
function marking(mark: string, at: number, timeliness: "on time" | "late"): Marking {
  const counted = `${COUNTED}${windowOf(at)}`;
  const from = firstKept(at);
  const isNew: Clause = { path: counted, is: "lacks", value: mark };
  const add = { [counted]: new Set([mark]) };
  // A late one moves nothing: what was forgotten stays forgotten.
  if (timeliness === "late") {
    return { add, set: {}, remove: [], when: [isNew, { path: "marksFrom", is: "<=", value: windowOf(at) }] };
  }
  const isOpen: Clause = {
    any: [[{ path: "marksFrom", is: "absent" }], [{ path: "marksFrom", is: "<=", value: from }]],
  };
  const remove = Array.from({ length: from }, (_, window) => `${COUNTED}${window}`);
  return { add, set: { marksFrom: from }, remove, when: [isNew, isOpen] };
}

const slotName = (slot: string): string => `${RESERVED}${slot}`;
const textOf = ({ runId, epoch, tokens, microUsd }: Reserved): string =>
  [runId, epoch, tokens, microUsd].join(" ");

export const isSame = (a: Reserved | undefined, b: Reserved): boolean =>
  a !== undefined && textOf(a) === textOf(b);

/** A row as it stands; an absent one has spent nothing. */
export function parseDayRow(item: Record<string, unknown> | undefined): DayRow {
  const reserved = new Map<string, Reserved>();
  const models = new Map<string, ModelSpend>();
  const number = (name: string): number => Number(item?.[name] ?? 0);
  const members = (name: string) =>
    item?.[name] instanceof Set ? (item[name] as Set<string>) : new Set<string>();
  for (const [name, value] of Object.entries(item ?? {})) {
    if (name.startsWith(RESERVED)) {
      const [runId = "", epoch, tokens, microUsd] = String(value).split(" ");
      const slot = name.slice(RESERVED.length);
      reserved.set(slot, { runId, epoch: Number(epoch), tokens: Number(tokens), microUsd: Number(microUsd) });
    }
    const [, kind, model] = /^model#(tokens|microUsd|calls|unpriced)#(.+)$/.exec(name) ?? [];
    if (!kind || !model) continue;
    const known = models.get(decodeURIComponent(model)) ?? { tokens: 0, microUsd: 0, calls: 0, unpriced: 0 };
    models.set(decodeURIComponent(model), { ...known, [kind]: Number(value) });
  }
  return {
    day: String(item?.["sk"] ?? ""),
    ownerUid: String(item?.["ownerUid"] ?? ""),
    workflowId: String(item?.["workflowId"] ?? ""),
    tokens: number("tokens"),
    microUsd: number("microUsd"),
    calls: number("calls"),
    unpriced: number("unpriced"),
    committed: { tokens: number("committedTokens"), microUsd: number("committedMicroUsd") },
    reserved,
    counted: new Set(
      Object.keys(item ?? {}).flatMap((name) => (name.startsWith(COUNTED) ? [...members(name)] : [])),
    ),
    marksFrom: number("marksFrom"),
    models,
    asOf: [...members("asOf")].sort(),
  };
}

/** What a row's first write leaves for its readers. The library's own row stands in no list: it is a sum. */
const firstOf = ({ ownerUid, workflowId, at }: Day): Record<string, unknown> => ({
  [TTL_ATTRIBUTE]: Math.ceil((at + KEPT_MS) / 1000),
  ...(workflowId !== null && { ownerUid, workflowId }),
});

const slotIs = (slot: string, reserved: Reserved | undefined): Clause =>
  reserved
    ? { path: slotName(slot), is: "=", value: textOf(reserved) }
    : { path: slotName(slot), is: "absent" };

/** M1: a question's reservation, in place of the one it had; only where a limit leaves room for what it adds. */
export function reserveWrite(
  day: Day,
  slot: string,
  given: { known: Reserved | undefined; wanted: Reserved; limit: DayBudget | null },
): ConditionalWrite {
  const { known, wanted, limit } = given;
  const tokens = wanted.tokens - (known?.tokens ?? 0);
  const microUsd = wanted.microUsd - (known?.microUsd ?? 0);
  return {
    name: "M1 reserve",
    set: { [slotName(slot)]: textOf(wanted) },
    setOnce: firstOf(day),
    add: { committedTokens: tokens, committedMicroUsd: microUsd },
    when: [slotIs(slot, known), ...(limit ? roomFor({ tokens, microUsd }, limit) : [])],
  };
}

function roomFor(more: { tokens: number; microUsd: number }, limit: DayBudget): Clause[] {
  return limitsOf(limit).flatMap(({ unit, path, amount }): Clause[] => {
    if (more[unit] <= 0) return [];
    const room = amount - more[unit];
    const isWithin: Clause = { path, is: "<=", value: room };
    // A row without a sum has spent nothing: then it is the limit alone that must suffice.
    return room < 0 ? [isWithin] : [{ any: [[isWithin], [{ path, is: "absent" }]] }];
  });
}

/** The sides of a limit that say something. */
export const limitsOf = ({ tokens, usd }: DayBudget) =>
  [
    { unit: "tokens", path: "committedTokens", amount: tokens },
    { unit: "microUsd", path: "committedMicroUsd", amount: usd === null ? null : Math.round(usd * MICRO) },
  ].filter(
    (side): side is { unit: "tokens" | "microUsd"; path: string; amount: number } => side.amount !== null,
  );

/** M2: a reservation is given back unused. */
export const releaseWrite = (slot: string, known: Reserved): ConditionalWrite => ({
  name: "M2 release",
  remove: [slotName(slot)],
  add: { committedTokens: -known.tokens, committedMicroUsd: -known.microUsd },
  when: [slotIs(slot, known)],
});

/**
 * M3: what a piece of work cost, once, in place of what it had reserved. Of work whose mark would be forgotten already
 * only the reservation itself can tell that it was not counted: then `mark` is null.
 */
export function settleWrite(
  day: Day,
  cost: Cost,
  given: {
    mark: string | null;
    timeliness: "on time" | "late";
    slot: string | null;
    known: Reserved | undefined;
  },
): ConditionalWrite {
  const { mark, slot, known } = given;
  const marked =
    mark === null ? { add: {}, set: {}, remove: [], when: [] } : marking(mark, day.at, given.timeliness);
  const { tokens, microUsd, calls, unpriced } = cost;
  const model = cost.model === null ? null : modelName(cost.model);
  return {
    name: "M3 settle",
    setOnce: firstOf(day),
    set: marked.set,
    remove: [...marked.remove, ...(slot !== null && known ? [slotName(slot)] : [])],
    add: {
      ...marked.add,
      tokens,
      microUsd,
      calls,
      ...(unpriced > 0 && { unpriced }),
      committedTokens: tokens - (known?.tokens ?? 0),
      committedMicroUsd: microUsd - (known?.microUsd ?? 0),
      ...(cost.asOf !== null && { asOf: new Set([cost.asOf]) }),
      ...(model !== null &&
        Object.fromEntries(
          MODEL_NUMBERS.filter((name) => cost[name] > 0).map((name) => [
            `${MODEL}${name}#${model}`,
            cost[name],
          ]),
        )),
    },
    when: [...marked.when, ...(slot === null ? [] : [slotIs(slot, known)])],
  };
}
