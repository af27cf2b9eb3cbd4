import { isAlias, isMap, isScalar, isSeq, parseDocument, type Node } from "yaml";
import type { Span } from "../core/markdown.ts";
import { utf8Bytes } from "../core/bytes.ts";
import type { FileReport } from "./report.ts";

/** A whole workflow file; far above any that a person can follow. */
export const FILE_MAX_BYTES = 64 * 1024;
/** Far deeper than any form of this file. */
const MAX_DEPTH = 24;

/** A value of the front matter with its place in the file. */
export type Value = { span: Span } & (
  | { kind: "map"; members: ReadonlyMap<string, Member> }
  | { kind: "list"; items: readonly Value[] }
  | { kind: "scalar"; value: string | number | boolean | null }
);
export type Member = { key: Span; value: Value };
export type MapValue = Extract<Value, { kind: "map" }>;

/** The front matter of a workflow file as plain values; undefined when it cannot be read. Never throws. */
export function readFrontMatter(text: string, report: FileReport): MapValue | undefined {
  const top = { start: 0, end: Math.min(text.length, 3) };
  const actual = utf8Bytes(text);
  if (actual > FILE_MAX_BYTES) {
    report.error("WF001", top, `The file has ${actual} bytes of ${FILE_MAX_BYTES}`, "Say less in it.");
    return undefined;
  }
  const opening = /^\uFEFF?---[ \t]*\r?\n/.exec(text)?.[0];
  const closing =
    opening === undefined ? null : /^---[ \t]*$/m.exec(text.slice(opening.length).replaceAll("\r", " "));
  if (opening === undefined || !closing) {
    report.error(
      "WF002",
      top,
      "The file has no front matter",
      'Begin with a line "---" and end it with another.',
    );
    return undefined;
  }
  const from = opening.length;
  try {
    return readYaml(text.slice(from, from + closing.index), from, report);
  } catch (error) {
    // The parser recurses: nesting that is too deep for it ends here.
    if (!(error instanceof RangeError)) throw error;
    report.error("WF003", top, "The front matter is nested too deeply", TOO_DEEP);
    return undefined;
  }
}

const TOO_DEEP = `At most ${MAX_DEPTH} levels.`;

function readYaml(yaml: string, from: number, report: FileReport): MapValue | undefined {
  // Keys are compared by us: the parser compares each with each.
  const document = parseDocument<Node, false>(yaml, {
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: "silent",
  });
  const [fault] = document.errors;
  if (fault) {
    const [start, end] = fault.pos;
    report.error("WF003", { start: from + start, end: from + end }, `Not YAML: ${fault.message}`);
    return undefined;
  }
  const reader = createReader(from, report);
  const value = document.contents ? reader.read(document.contents as Node, 0) : undefined;
  if (reader.failed()) return undefined;
  if (value?.kind === "map") return value;
  report.error("WF012", { start: from, end: from }, "The front matter must be names and their values");
  return undefined;
}

function createReader(from: number, report: FileReport) {
  let failed = false;
  const fail = (
    code: "WF003" | "WF004" | "WF005" | "WF006" | "WF007",
    span: Span,
    message: string,
    hint?: string,
  ) => {
    failed = true;
    report.error(code, span, message, hint);
    return undefined;
  };
  const spanOf = (node: Node): Span => {
    const [start = 0, end = start] = node.range ?? [];
    return { start: from + start, end: from + end };
  };

  function read(
    node: Node | null,
    depth: number,
    fallback: Span = { start: from, end: from },
  ): Value | undefined {
    // A key without a value.
    if (node === null) return { kind: "scalar", value: null, span: fallback };
    const span = spanOf(node);
    if (depth > MAX_DEPTH) return fail("WF003", span, "The front matter is nested too deeply", TOO_DEEP);
    if (isAlias(node) || ("anchor" in node && node.anchor !== undefined)) {
      return fail("WF005", span, "Anchors and aliases are not allowed", "Write the value out.");
    }
    if (
      node.tag !== undefined &&
      !/^tag:yaml\.org,2002:(?:str|int|float|bool|null|map|seq)$/.test(node.tag)
    ) {
      return fail("WF005", span, `The tag ${node.tag} is not allowed`, "Write a plain value.");
    }
    if (isSeq(node)) {
      const items = node.items.map((item) => read(item as Node | null, depth + 1, span));
      return { kind: "list", items: items.filter((item) => item !== undefined), span };
    }
    if (isMap(node)) return { kind: "map", members: membersOf(node.items, depth, span), span };
    if (!isScalar(node)) return fail("WF007", span, "This value is not allowed here");
    const { value } = node;
    if (typeof value === "string" || typeof value === "boolean" || value === null)
      return { kind: "scalar", value, span };
    if (typeof value === "number" && Number.isFinite(value)) return { kind: "scalar", value, span };
    return fail(
      "WF007",
      span,
      `${String(value)} is no value of JSON`,
      "Write a text, a number, true, false or null.",
    );
  }

  function membersOf(pairs: readonly { key: unknown; value: unknown }[], depth: number, map: Span) {
    const members = new Map<string, Member>();
    for (const pair of pairs) {
      const keyNode = pair.key as Node | null;
      const key = keyNode ? spanOf(keyNode) : map;
      if (!isScalar(keyNode) || typeof keyNode.value !== "string" || keyNode.value === "__proto__") {
        fail("WF006", key, "A name must be a text", "Put it in quotes.");
        continue;
      }
      if (members.has(keyNode.value)) {
        fail("WF004", key, `"${keyNode.value}" is set twice`, "Keep one.");
        continue;
      }
      const value = read(pair.value as Node | null, depth + 1, key);
      if (value) members.set(keyNode.value, { key, value });
    }
    return members;
  }
  return { read, failed: () => failed };
}

/** A value as JSON has it. */
export function jsonOf(value: Value): unknown {
  if (value.kind === "scalar") return value.value;
  if (value.kind === "list") return value.items.map(jsonOf);
  return Object.fromEntries([...value.members].map(([name, member]) => [name, jsonOf(member.value)]));
}

/** The place within a value that a path of names and positions leads to; the value's own where there is none. */
export function spanAt(value: Value, path: readonly (string | number)[]): Span {
  let current: Value | undefined = value;
  for (const part of path) {
    if (current?.kind === "list") current = current.items[Number(part)];
    else if (current?.kind === "map") current = current.members.get(String(part))?.value;
  }
  return (current ?? value).span;
}
