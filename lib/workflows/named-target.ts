import type { Manifest } from "./manifest.ts";

/** The memo that a policy and a payload name to be changed; undefined where a new one is to be made. */
export function namedTarget(
  { policy: { target } }: Pick<Manifest, "policy">,
  payload: Readonly<Record<string, unknown>>,
): string | undefined {
  if (target.kind === "new") return undefined;
  const named = target.kind === "memo" ? target.id : valueAt(payload, target.path);
  return named === null || named === undefined || named === "" ? undefined : String(named);
}

function valueAt(payload: unknown, path: string): unknown {
  let value = payload;
  for (const key of path.replace(/^payload\./, "").split(".")) {
    if (value === null || typeof value !== "object" || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}
