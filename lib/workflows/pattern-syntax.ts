/** A pattern as a tree. An atom is the source of an expression that matches one character. */
export type Syntax =
  | { kind: "atom"; source: string }
  | { kind: "assert"; of: Assertion }
  | { kind: "each"; parts: Syntax[] }
  | { kind: "any"; choices: Syntax[] }
  | { kind: "repeat"; of: Syntax; min: number; max: number };
export type Assertion = "^" | "$" | "\\b" | "\\B";

/** Thrown inside this file only: what a pattern has that is not read, as what to do about it. */
class Unread extends Error {}

/**
 * Reads a pattern that JavaScript takes. Undefined with `why` where it has what cannot be matched in one pass:
 * references back, looks ahead and behind. A repeat in a repeat is refused too, as the dialect says.
 */
export function readSyntax(
  pattern: string,
  flags: string,
): { syntax: Syntax; why?: never } | { syntax?: never; why: string } {
  try {
    const reader: Reader = { pattern, unicode: flags.includes("u"), at: 0 };
    const syntax = readChoices(reader);
    return reader.at === pattern.length
      ? { syntax }
      : { why: "Write it without the bracket that opens nothing." };
  } catch (error) {
    if (error instanceof Unread) return { why: error.message };
    throw error;
  }
}

type Reader = { pattern: string; unicode: boolean; at: number };

function readChoices(reader: Reader): Syntax {
  const choices = [readParts(reader)];
  while (reader.pattern[reader.at] === "|") {
    reader.at += 1;
    choices.push(readParts(reader));
  }
  const [only] = choices;
  return only && choices.length === 1 ? only : { kind: "any", choices };
}

function readParts(reader: Reader): Syntax {
  const parts: Syntax[] = [];
  while (reader.at < reader.pattern.length && !/[|)]/.test(reader.pattern[reader.at] ?? "")) {
    parts.push(repeated(readOne(reader), reader));
  }
  return { kind: "each", parts };
}

const REPEAT = /(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})\??/y;

function repeated(of: Syntax, reader: Reader): Syntax {
  const match = take(REPEAT, reader);
  if (!match) return of;
  const [, sign, least = "", comma, most = ""] = match;
  const min = sign ? Number(sign === "+") : Number(least);
  const open = sign ? sign !== "?" : comma !== undefined && most === "";
  const max = open ? Number.POSITIVE_INFINITY : sign ? 1 : Number(comma ? most : least);
  if (max > 1 && hasRepeat(of)) throw new Unread("Remove the nested repeat.");
  return { kind: "repeat", of, min, max };
}

function hasRepeat(syntax: Syntax): boolean {
  if (syntax.kind === "repeat") return syntax.max > 1 || hasRepeat(syntax.of);
  if (syntax.kind === "each") return syntax.parts.some((part) => hasRepeat(part));
  return syntax.kind === "any" && syntax.choices.some((choice) => hasRepeat(choice));
}

const CLASS = /\[\^?(?:\\[\s\S]|[^\]\\])*\]/y;
const GROUP = /\((?:\?(?::|<[^=!>][^>]*>))?/y;
const REFERENCE = /\\[1-9k]/y;
/** Escapes of more than one letter; a surrogate pair is one character where the pattern is read by code points. */
const ESCAPE = /\\(?:c[A-Za-z]|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|[^c])/y;
const UNICODE_ESCAPE =
  /\\(?:c[A-Za-z]|x[0-9A-Fa-f]{2}|u[dD][89abAB][0-9A-Fa-f]{2}\\u[dD][c-fC-F][0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|u\{[0-9A-Fa-f]+\}|[pP]\{[^}]*\}|[^c])/uy;
const CHARACTER = /[\s\S]/y;
const UNICODE_CHARACTER = /[\s\S]/uy;

function readOne(reader: Reader): Syntax {
  const assertion = take(/\^|\$|\\[bB]/y, reader)?.[0] as Assertion | undefined;
  if (assertion) return { kind: "assert", of: assertion };
  if (take(REFERENCE, reader)) throw new Unread("Remove the reference back.");
  if (take(/\\0\d/y, reader)) throw new Unread("Write the character itself in place of its number.");
  if (reader.pattern[reader.at] === "(") return readGroup(reader);
  const { unicode } = reader;
  const source =
    take(CLASS, reader) ??
    take(unicode ? UNICODE_ESCAPE : ESCAPE, reader) ??
    (reader.pattern[reader.at] === "\\" ? undefined : take(unicode ? UNICODE_CHARACTER : CHARACTER, reader));
  if (!source) throw new Unread("Remove the backslash, or what it stands before.");
  return { kind: "atom", source: source[0] };
}

function readGroup(reader: Reader): Syntax {
  take(GROUP, reader);
  if (reader.pattern[reader.at] === "?") throw new Unread("Remove the group that looks ahead or behind.");
  const inner = readChoices(reader);
  reader.at += 1;
  return inner;
}

function take(form: RegExp, reader: Reader): RegExpExecArray | null {
  form.lastIndex = reader.at;
  const match = form.exec(reader.pattern);
  if (match) reader.at += match[0].length;
  return match;
}
