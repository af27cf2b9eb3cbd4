/** A value of a vector file as the functions take it: what JSON cannot hold is spelled out there. */
export function decoded(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(decoded);
  if (typeof value !== "object" || value === null) return value;
  if ("$undef" in value) return undefined;
  if ("$num" in value) return Number(value.$num);
  if ("$map" in value) return new Map(decoded(value.$map) as [unknown, unknown][]);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, decoded(member)]));
}

/** A result as a vector file has it: through JSON, maps spelled out, nothing at all as null. */
export function normalised(value: unknown): unknown {
  const json = JSON.stringify(value, (_key, member: unknown) =>
    member instanceof Map ? { $map: [...member] } : member,
  );
  return json === undefined ? null : JSON.parse(json);
}

/** Where ours differs: each path in it, with what we have there. */
export function differences(ours: unknown, theirs: unknown, path = ""): Record<string, unknown> {
  if (!isNested(ours) || !isNested(theirs) || Array.isArray(ours) !== Array.isArray(theirs)) {
    return JSON.stringify(ours) === JSON.stringify(theirs) ? {} : { [path || "."]: ours ?? ABSENT };
  }
  const keys = new Set([...Object.keys(theirs), ...Object.keys(ours)]);
  return Object.assign(
    {},
    ...[...keys].map((key) => differences(ours[key], theirs[key], path ? `${path}.${key}` : key)),
  ) as Record<string, unknown>;
}

/** What we have where they have something and we have nothing. */
export const ABSENT = "(absent)";

const isNested = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;
