import { printableInLine } from "../../core/printable.ts";
import { foldWhitespace } from "../../core/text.ts";
import { cappedHead } from "./caps.ts";

/** Longest text that anything told may take in a report's line. */
const INLINE_MAX = 300;

/**
 * What Markdown, in the middle of a line or of a table's cell, takes for more than its letters; addresses too, as
 * one that is made a link swallows the marks that follow it.
 */
const MARKS = /[\\`*[\]<>~|&!#@]|:(?=\/\/)|(?<=www)\.|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/giu;

/**
 * A text that others wrote, within one line of a report: no mark of it ends a cell or a line, starts a heading, a
 * link or a tag, and what cannot be seen is shown by its number.
 */
export const inlineText = (text: string, max = INLINE_MAX): string =>
  printableInLine(cappedHead(foldWhitespace(text), max)).replaceAll(MARKS, "\\$&");

/** One row of a table. */
export const tableRow = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;

const MEGABYTE = 1024 * 1024;

/** Bytes in whole megabytes. */
export const megabytes = (bytes: number): string => `${Math.round(bytes / MEGABYTE)} MB`;
