import { list, record } from "./reading.ts";

export type Settled = {
  ok: { index: number; value: unknown }[];
  failed: { status: string; index: number; item?: unknown; error?: unknown }[];
};

/** What a map came to, its results apart from its failures; a bare list is all results, anything else is nothing. */
export function settled(result: unknown): Settled {
  if (Array.isArray(result)) return { ok: result.map((value, index) => ({ index, value })), failed: [] };
  const results = list(record(result).results).map(record);
  const fulfilled = results.filter(({ status }) => status === "fulfilled");
  return {
    ok: fulfilled.map(({ index, value }) => ({ index: Number(index), value })),
    failed: results.filter(({ status }) => status !== "fulfilled") as Settled["failed"],
  };
}
