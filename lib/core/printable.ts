/**
 * A text as a person can read all of it: what moves a cursor, writes into a terminal's title, turns the direction
 * of the line or takes no place at all is shown by its number. Lines and tabs stay.
 */
export const printable = (text: string): string => text.replace(UNPRINTABLE, numbered);

/** The same within one line, as of a file's name: a line end in it is shown too. */
export const printableInLine = (text: string): string => printable(text).replaceAll(/[\n\t]/g, numbered);

/**
 * Controls but tabs and line ends (also of two characters), everything that Unicode says to draw as nothing (soft
 * hyphens, zero-width and direction characters, tags, fillers), the two line ends that no terminal counts, marks of
 * annotations, halves of characters. How an emoji is drawn is left to it, once.
 */
const UNPRINTABLE =
  /(?:(?!(?<=\p{Emoji})[\u{FE0E}\u{FE0F}])[\p{DI}]|(?![\t\n]|\r\n)\p{Cc}|[\u{2028}\u{2029}\u{FFF9}-\u{FFFB}\p{Cs}])/gu;

/** Every code unit as JSON spells it, so that a document with such a text stays the same document. */
const numbered = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`,
  ).join("");
