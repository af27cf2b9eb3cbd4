import type { Span } from "../core/markdown.ts";
import { nearest } from "../core/text.ts";
import { didYouMean, listed } from "../workflows/diagnostics.ts";
import { jsonOf, type MapValue, type Value } from "./front-matter.ts";
import type { FileReport } from "./report.ts";

/** Reads the members of one map, says what is wrong with them, and goes on. */
export type Fields = ReturnType<typeof fieldsOf>;

/** The members of a map, of which `known` may be there; another name is a fault of its own. */
export function fieldsOf(map: MapValue, known: readonly string[], what: string, report: FileReport) {
  for (const [name, { key }] of map.members) {
    if (known.includes(name)) continue;
    const hint = didYouMean(nearest(name, known)) ?? listed("Known here", known);
    report.error("WF010", key, `"${name}" is not a field of ${what}`, hint);
  }
  const take = <T>(name: string, accept: (value: Value) => T | undefined, wanted: string): T | undefined => {
    const member = map.members.get(name);
    if (!member) return undefined;
    const taken = accept(member.value);
    if (taken === undefined) report.error("WF012", member.value.span, `"${name}" must be ${wanted}`);
    return taken;
  };
  const scalar = (name: string, wanted: string, fits: (value: unknown) => boolean): unknown =>
    take(
      name,
      (value) => (value.kind === "scalar" && fits(value.value) ? { value: value.value } : undefined),
      wanted,
    )?.value;

  return {
    span: map.span,
    has: (name: string): boolean => map.members.has(name),
    at: (name: string): Span => map.members.get(name)?.value.span ?? map.span,
    value: (name: string): Value | undefined => map.members.get(name)?.value,

    /** Says that a field is missing; true when it is there. */
    needs(name: string): boolean {
      if (map.members.has(name)) return true;
      report.error("WF011", firstOf(map), `"${name}" is missing in ${what}`);
      return false;
    },

    text(
      name: string,
      limits: { min?: number; max: number; pattern?: RegExp; wanted?: string },
    ): string | undefined {
      const { min = 1, max, pattern } = limits;
      const wanted = limits.wanted ?? `a text of ${min} to ${max} characters`;
      return scalar(name, wanted, (value) => {
        if (typeof value !== "string" || value.length < min || value.length > max) return false;
        return pattern ? pattern.test(value) : true;
      }) as string | undefined;
    },

    whole: (name: string, min: number, max: number): number | undefined =>
      scalar(name, `a whole number from ${min} to ${max}`, (value) => {
        return Number.isInteger(value) && Number(value) >= min && Number(value) <= max;
      }) as number | undefined,

    amount: (name: string): number | undefined =>
      scalar(name, "a number above 0", (value) => typeof value === "number" && value > 0) as
        | number
        | undefined,

    flag: (name: string): boolean | undefined =>
      scalar(name, "true or false", (value) => typeof value === "boolean") as boolean | undefined,

    oneOf: <const N extends string>(name: string, names: readonly N[]): N | undefined =>
      scalar(name, `one of ${names.join(", ")}`, (value) => names.includes(value as N)) as N | undefined,

    list: (name: string): readonly Value[] | undefined =>
      take(name, (value) => (value.kind === "list" ? value.items : undefined), "a list"),

    map: (name: string): MapValue | undefined =>
      take(name, (value) => (value.kind === "map" ? value : undefined), "names and their values"),

    json(name: string): unknown {
      const member = map.members.get(name);
      return member && jsonOf(member.value);
    },

    texts: (name: string): string[] | undefined =>
      take(
        name,
        (value) => {
          const texts = value.kind === "list" ? value.items.map(jsonOf) : [];
          return value.kind === "list" &&
            texts.every((text): text is string => typeof text === "string" && text !== "")
            ? texts
            : undefined;
        },
        "a list of texts",
      ),
  };
}

/** Where a map begins: its first name, since a message about all of it would mark half the file. */
const firstOf = (map: MapValue): Span => map.members.values().next().value?.key ?? map.span;
