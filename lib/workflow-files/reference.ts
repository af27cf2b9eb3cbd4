/** What a reference may begin with, and where it leads from there. */
export type FileReference =
  | { root: "input" | "item"; path: readonly string[] }
  | { root: "index" }
  | { root: "steps"; stepId: string; path: readonly string[] };

/** What the references of one step can see. `item` is there within a map alone. */
export type FileScope = {
  input: unknown;
  steps: Readonly<Record<string, unknown>>;
  item?: { value: unknown; index: number };
};

const PART = /^[A-Za-z0-9_-]{1,100}$/;

/** Whether a text is a reference, or an attempt at one: `$$` begins a text with a dollar sign. */
export const isReference = (text: string): boolean => text.startsWith("$") && !text.startsWith("$$");

/** Reads `$input.a.b`, `$steps.id.a`, `$item.a` or `$index`; undefined for anything else. */
export function readReference(text: string): FileReference | undefined {
  if (!text.startsWith("$")) return undefined;
  const [root = "", ...path] = text.slice(1).split(".");
  if (!path.every((part) => PART.test(part))) return undefined;
  if (root === "index") return path.length === 0 ? { root } : undefined;
  if (root === "input" || root === "item") return { root, path };
  const [stepId, ...rest] = path;
  return root === "steps" && stepId !== undefined ? { root, stepId, path: rest } : undefined;
}

/** Every text of a value, at any depth, with its place as names and positions. */
export function* textsOf(
  value: unknown,
  path: readonly (string | number)[] = [],
): Generator<{ text: string; path: readonly (string | number)[] }> {
  if (typeof value === "string") yield { text: value, path };
  else if (Array.isArray(value)) {
    for (const [index, element] of value.entries()) yield* textsOf(element, [...path, index]);
  } else if (typeof value === "object" && value !== null) {
    for (const [name, member] of Object.entries(value)) yield* textsOf(member, [...path, name]);
  }
}

/**
 * A value with its references replaced by what they name. A member that leads to nothing is left out; in a list it
 * becomes null, so that the others keep their places.
 */
export function project(value: unknown, scope: FileScope): unknown {
  if (typeof value === "string") {
    if (value.startsWith("$$")) return value.slice(1);
    return isReference(value) ? lookUp(value, scope) : value;
  }
  if (Array.isArray(value)) return value.map((element) => project(element, scope) ?? null);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [name, project(member, scope)] as const);
  return Object.fromEntries(members.filter(([, member]) => member !== undefined));
}

function lookUp(text: string, { input, steps, item }: FileScope): unknown {
  const reference = readReference(text);
  switch (reference?.root) {
    case "input":
      return valueAt(input, reference.path);
    case "item":
      return valueAt(item?.value, reference.path);
    case "index":
      return item?.index;
    case "steps":
      return valueAt(steps, [reference.stepId, ...reference.path]);
    // The compiler lets none of these through.
    case undefined:
      return undefined;
  }
}

/** Only a value's own members are seen. */
function valueAt(value: unknown, path: readonly string[]): unknown {
  let current = value;
  for (const part of path) {
    if (typeof current !== "object" || current === null || !Object.hasOwn(current, part)) return undefined;
    current = (current as Record<string, unknown>)[part];
  }
  return current;
}
