import { isDeepStrictEqual } from "node:util";
import { listOf, pathOf, tokensOf, type Tokens } from "./tokens.ts";

export type Row = Record<string, unknown>;

/** What an expression's placeholders stand for. */
export type Placeholders = { names: Record<string, string>; values: Record<string, unknown> };

type Operand = (row: Row, given: Placeholders) => unknown;
export type Condition = (row: Row, given: Placeholders) => boolean;

const parsed = new Map<string, Condition>();

/** A condition, a filter or a key condition as DynamoDB reads it. */
export function conditionOf(expression: string): Condition {
  const known = parsed.get(expression);
  if (known) return known;
  const tokens = tokensOf(expression);
  const condition = disjunction(tokens);
  if (tokens.peek() !== undefined) throw new Error(`${tokens.peek()} is one word too many: ${expression}`);
  parsed.set(expression, condition);
  return condition;
}

function disjunction(tokens: Tokens): Condition {
  const any = [conjunction(tokens)];
  while (tokens.take("OR")) any.push(conjunction(tokens));
  return (row, given) => any.some((one) => one(row, given));
}

function conjunction(tokens: Tokens): Condition {
  const all = [negation(tokens)];
  while (tokens.take("AND")) all.push(negation(tokens));
  return (row, given) => all.every((one) => one(row, given));
}

function negation(tokens: Tokens): Condition {
  if (!tokens.take("NOT")) return primary(tokens);
  const inner = negation(tokens);
  return (row, given) => !inner(row, given);
}

/** Each answers of the attribute (undefined when absent) and the second argument. */
const FUNCTIONS: Record<string, (attribute: unknown, argument: unknown) => boolean> = {
  attribute_exists: (attribute) => attribute !== undefined,
  attribute_not_exists: (attribute) => attribute === undefined,
  begins_with: (attribute, prefix) => typeof attribute === "string" && attribute.startsWith(String(prefix)),
  contains: (attribute, member) => {
    if (attribute instanceof Set) return attribute.has(member);
    if (Array.isArray(attribute)) return attribute.some((one) => isDeepStrictEqual(one, member));
    return typeof attribute === "string" && typeof member === "string" && attribute.includes(member);
  },
};

function primary(tokens: Tokens): Condition {
  if (tokens.take("(")) {
    const inner = disjunction(tokens);
    tokens.expect(")");
    return inner;
  }
  const call = FUNCTIONS[tokens.peek() ?? ""];
  if (call) {
    tokens.next();
    tokens.expect("(");
    const [attribute, argument] = listOf(tokens, () => operand(tokens));
    tokens.expect(")");
    return (row, given) => call(attribute?.(row, given), argument?.(row, given));
  }
  const left = operand(tokens);
  if (tokens.take("BETWEEN")) {
    const from = operand(tokens);
    tokens.expect("AND");
    const to = operand(tokens);
    return (row, given) => {
      const value = left(row, given);
      return isLess(from(row, given), value, true) && isLess(value, to(row, given), true);
    };
  }
  if (tokens.take("IN")) {
    tokens.expect("(");
    const members = listOf(tokens, () => operand(tokens));
    tokens.expect(")");
    return (row, given) => {
      const value = left(row, given);
      return value !== undefined && members.some((member) => isDeepStrictEqual(value, member(row, given)));
    };
  }
  const sign = tokens.next();
  const right = operand(tokens);
  return (row, given) => compared(sign, left(row, given), right(row, given));
}

function operand(tokens: Tokens): Operand {
  if (tokens.peek()?.startsWith(":")) {
    const key = tokens.next();
    return (_row, { values }) => {
      if (!Object.hasOwn(values, key)) throw new Error(`no value for ${key}`);
      return values[key];
    };
  }
  if (tokens.take("size")) {
    tokens.expect("(");
    const inner = operand(tokens);
    tokens.expect(")");
    return (row, given) => sizeOf(inner(row, given));
  }
  const path = pathOf(tokens);
  return (row, given) => valueAt(row, namesOf(path, given));
}

function sizeOf(value: unknown): number | undefined {
  if (typeof value === "string") return Buffer.byteLength(value);
  if (value instanceof Set) return value.size;
  if (Array.isArray(value)) return value.length;
  if (typeof value === "object" && value !== null) return Object.keys(value).length;
  return undefined;
}

function compared(sign: string, left: unknown, right: unknown): boolean {
  switch (sign) {
    case "=":
      return left !== undefined && isDeepStrictEqual(left, right);
    // True also of an attribute that is not there.
    case "<>":
      return !isDeepStrictEqual(left, right);
    case "<":
    case "<=":
      return isLess(left, right, sign === "<=");
    case ">":
    case ">=":
      return isLess(right, left, sign === ">=");
    default:
      throw new Error(`${sign} compares nothing`);
  }
}

/** False between values of two types. Texts are ordered by their UTF-8 bytes. */
function isLess(left: unknown, right: unknown, orEqual: boolean): boolean {
  if (typeof left === "number" && typeof right === "number")
    return left < right || (orEqual && left === right);
  if (typeof left !== "string" || typeof right !== "string") return false;
  const order = compareTexts(left, right);
  return order < 0 || (orEqual && order === 0);
}

export const compareTexts = (left: string, right: string): number =>
  Buffer.compare(Buffer.from(left), Buffer.from(right));

/** The segments of a path under their real names. */
export const namesOf = (path: readonly string[], { names }: Placeholders): string[] =>
  path.map((segment) => {
    if (!segment.startsWith("#")) return segment;
    const name = names[segment];
    if (name === undefined) throw new Error(`no name for ${segment}`);
    return name;
  });

export function valueAt(row: Row, path: readonly string[]): unknown {
  let value: unknown = row;
  for (const segment of path) {
    if (typeof value !== "object" || value === null || value instanceof Set || Array.isArray(value)) {
      return undefined;
    }
    value = (value as Row)[segment];
  }
  return value;
}
