/** A text that an answer had no room for, and the request that answers it alone. */
export type LeftOutText = { pointer: string; bytes: number; read: string | null };

/** The marks of an answer, longest text first; none in most. */
export function leftOutOf(answer: unknown): readonly LeftOutText[] {
  if (typeof answer !== "object" || answer === null || !("textsLeftOut" in answer)) return [];
  const { textsLeftOut } = answer;
  return Array.isArray(textsLeftOut) ? (textsLeftOut as LeftOutText[]) : [];
}

/** Puts a text where a JSON pointer says; a place that is not there stays so. */
export function putAt(answer: unknown, pointer: string, text: string): void {
  const names = pointer
    .split("/")
    .slice(1)
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
  const last = names.pop();
  let value = answer;
  for (const name of names) value = (value as Record<string, unknown> | null | undefined)?.[name];
  if (last === undefined || typeof value !== "object" || value === null) return;
  if (Object.hasOwn(value, last)) (value as Record<string, unknown>)[last] = text;
}
