import { namesOf, valueAt, type Placeholders, type Row } from "./condition.ts";
import { invalid } from "./answers.ts";
import { listOf, pathOf, tokensOf, type Tokens } from "./tokens.ts";

/** One part of an update: changes `next`, and reads what stood before from `old`. */
type Part = (next: Row, old: Row, given: Placeholders) => void;

const parsed = new Map<string, readonly Part[]>();

/** The row after an update expression; its values are those of the row before it, as DynamoDB has it. */
export function updated(old: Row, expression: string, given: Placeholders): Row {
  const next = structuredClone(old);
  for (const part of partsOf(expression)) part(next, old, given);
  return next;
}

function partsOf(expression: string): readonly Part[] {
  const known = parsed.get(expression);
  if (known) return known;
  const tokens = tokensOf(expression);
  const parts: Part[] = [];
  while (tokens.peek() !== undefined) {
    const keyword = tokens.next().toUpperCase();
    const one = SECTIONS[keyword];
    if (!one) throw new Error(`${keyword} begins no section: ${expression}`);
    parts.push(...listOf(tokens, () => one(tokens)));
  }
  parsed.set(expression, parts);
  return parts;
}

const SECTIONS: Record<string, (tokens: Tokens) => Part> = {
  SET(tokens) {
    const path = pathOf(tokens);
    tokens.expect("=");
    const value = assigned(tokens);
    return (next, old, given) => {
      const [parent, last] = placeOf(next, namesOf(path, given));
      parent[last] = value(old, given);
    };
  },
  REMOVE(tokens) {
    const path = pathOf(tokens);
    return (next, _old, given) => {
      const [parent, last] = placeOf(next, namesOf(path, given));
      delete parent[last];
    };
  },
  ADD(tokens) {
    const path = pathOf(tokens);
    const key = tokens.next();
    return (next, _old, given) => {
      const [parent, last] = placeOf(next, namesOf(path, given));
      parent[last] = sum(parent[last], given.values[key]);
    };
  },
  DELETE(tokens) {
    const path = pathOf(tokens);
    const key = tokens.next();
    return (next, _old, given) => {
      const [parent, last] = placeOf(next, namesOf(path, given));
      const known = parent[last];
      const members = given.values[key];
      if (known === undefined) return;
      if (!(known instanceof Set) || !(members instanceof Set)) throw wrongType();
      const left = new Set([...known].filter((member) => !members.has(member)));
      // A set is never empty: with its last member the attribute goes.
      if (left.size > 0) parent[last] = left;
      else delete parent[last];
    };
  },
};

function assigned(tokens: Tokens): (old: Row, given: Placeholders) => unknown {
  if (tokens.take("if_not_exists")) {
    tokens.expect("(");
    const path = pathOf(tokens);
    tokens.expect(",");
    const fallback = tokens.next();
    tokens.expect(")");
    return (old, given) => structuredClone(valueAt(old, namesOf(path, given)) ?? given.values[fallback]);
  }
  const key = tokens.next();
  return (_old, { values }) => {
    if (!Object.hasOwn(values, key)) throw new Error(`no value for ${key}`);
    return structuredClone(values[key]);
  };
}

function sum(known: unknown, added: unknown): unknown {
  if (typeof added === "number") {
    if (known !== undefined && typeof known !== "number") throw wrongType();
    return (known ?? 0) + added;
  }
  if (!(added instanceof Set)) throw wrongType();
  if (known !== undefined && !(known instanceof Set)) throw wrongType();
  return new Set([...((known as Set<unknown> | undefined) ?? []), ...added]);
}

/** The map that holds a path's last segment. */
function placeOf(row: Row, path: readonly string[]): [parent: Row, last: string] {
  const parent = path.length === 1 ? row : valueAt(row, path.slice(0, -1));
  if (typeof parent !== "object" || parent === null || parent instanceof Set || Array.isArray(parent)) {
    throw invalid("The document path provided in the update expression is invalid for update");
  }
  return [parent as Row, path.at(-1)!];
}

const wrongType = () => invalid("An operand in the update expression has an incorrect data type");
