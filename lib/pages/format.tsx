import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../core/duration.ts";
import { printableInLine } from "../core/printable.ts";
import type { Html } from "./shown.ts";

const UNITS = [
  [DAY_MS, "d"],
  [HOUR_MS, "h"],
  [MINUTE_MS, "min"],
  [SECOND_MS, "s"],
] as const;

/** A span in its largest unit: `3 d`, `2 h`, `40 s`; below a second `0.4 s`. */
export function span(ms: number): string {
  if (ms < SECOND_MS) return `${(Math.max(0, ms) / SECOND_MS).toFixed(1)} s`;
  const [unit, name] = UNITS.find(([each]) => ms >= each) ?? [SECOND_MS, "s"];
  return `${Math.floor(ms / unit)} ${name}`;
}

/** A moment as its distance from now, with the whole of it for whoever asks. */
export function When({ at, now }: { at: number; now: number }): Html {
  const iso = new Date(at).toISOString();
  const text = at > now ? `in ${span(at - now)}` : `${span(now - at)} ago`;
  return (
    <time datetime={iso} title={iso.replace("T", " ").replace(/\.\d+Z$/, " UTC")}>
      {text}
    </time>
  );
}

/** A moment to the minute, as it names a thing. */
export const minuteOf = (at: number): string =>
  `${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC`;

/** Somebody else's text within a line of ours: its direction and its invisible characters stay its own. */
export const Said = ({ text }: { text: string }): Html => <bdi>{printableInLine(text)}</bdi>;

/** Dollars of a millionth each: `$0.04`, `$0.0021`; a dash where a price is missing. */
export function money(microUsd: number | null): string {
  if (microUsd === null) return "–";
  const usd = microUsd / 1_000_000;
  return `$${usd === 0 || usd >= 0.01 ? usd.toFixed(2) : usd.toPrecision(2)}`;
}

const NUMBER = new Intl.NumberFormat("en");
export const count = (value: number): string => NUMBER.format(value);

/** A list's way to its next page, and back to its first. */
export function Pager({ here, nextCursor }: { here: string; nextCursor: string | null }): Html {
  const [path = "", search = ""] = here.split("?");
  const query = new URLSearchParams(search);
  const onFirst = !query.has("cursor");
  const hrefOf = (cursor: string | null): string => {
    const to = new URLSearchParams(query);
    if (cursor === null) to.delete("cursor");
    else to.set("cursor", cursor);
    return to.size > 0 ? `${path}?${to.toString()}` : path;
  };
  if (onFirst && nextCursor === null) return <></>;
  return (
    <nav class="pager" aria-label="More of this list">
      {!onFirst && <a href={hrefOf(null)}>First page</a>}
      {nextCursor !== null && (
        <a href={hrefOf(nextCursor)} rel="next">
          Next page
        </a>
      )}
    </nav>
  );
}

/** Where the script tells how much of a list is new; `of` names the id of an entry. Without script it is nothing. */
export const Fresh = ({ of, at }: { of: string; at: number }): Html => (
  <p class="fresh" role="status" data-live={of} data-at={String(at)}></p>
);

/** One word that says how something stands; its colour repeats it. */
export const Status = ({ of }: { of: string }): Html => (
  <span class={`status status-${of.replaceAll(/[^a-z]/g, "-")}`}>{of.replaceAll("_", " ")}</span>
);
