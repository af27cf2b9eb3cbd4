import { truncate } from "../../core/text.ts";

/** The last `max` code units of a text, never beginning inside a surrogate pair. */
export function lastOf(text: string, max: number): string {
  if (text.length <= max) return text;
  if (max <= 0) return "";
  const first = text.charCodeAt(text.length - max);
  return text.slice(first >= 0xdc00 && first <= 0xdfff ? text.length - max + 1 : text.length - max);
}

const CUT = "…";

/** At most `max` code units from the beginning, with a mark where the rest is left out. */
export const cappedHead = (text: string, max: number): string =>
  text.length <= max ? text : truncate(text, max - CUT.length) + CUT;

/** At most `max` code units from the end, with a mark where the rest is left out. */
export const cappedTail = (text: string, max: number): string =>
  text.length <= max ? text : CUT + lastOf(text, max - CUT.length);

export type Caps = {
  /** Code units of any text. */
  text: number;
  /** Items of any list, and members of any object. */
  items: number;
  /** Objects within objects. */
  depth: number;
};

/** A value of which no part is larger than the caps; what is beyond them is left out. */
export function cappedValue(value: unknown, caps: Caps, depth = caps.depth): unknown {
  if (typeof value === "string") return cappedHead(value, caps.text);
  if (typeof value !== "object" || value === null) return value;
  if (depth <= 0) return null;
  if (Array.isArray(value)) {
    return value.slice(0, caps.items).map((item) => cappedValue(item, caps, depth - 1));
  }
  const members = Object.entries(value).slice(0, caps.items);
  return Object.fromEntries(
    members.map(([key, member]) => [cappedHead(key, caps.text), cappedValue(member, caps, depth - 1)]),
  );
}
