import { foldWhitespace, truncate } from "../core/text.ts";

const PIECE_MAX_LENGTH = 300;

/** `2026-05-12 14:02`, UTC. */
export const minuteOf = (at: number): string => new Date(at).toISOString().slice(0, 16).replace("T", " ");

/** One line of a list: its pieces, then the named values that there are. Nothing in it can start another line. */
export function lineOf(...pieces: (string | Record<string, string | number | undefined>)[]): string {
  const texts = pieces.flatMap((piece) =>
    typeof piece === "string"
      ? [piece]
      : Object.entries(piece).flatMap(([name, value]) =>
          value === undefined || value === "" ? [] : [`${name}: ${value}`],
        ),
  );
  return `- ${texts.map((text) => truncate(foldWhitespace(text), PIECE_MAX_LENGTH)).join(" · ")}`;
}
