import { parsePath, readPath, type Path } from "./path.ts";

/** What `run.` may name, in templates and in conditions. The only list of them. */
export const RUN_VALUES = ["id", "startedAt", "date", "isoWeek", "hour"] as const;

/** What a finished step offers to later ones; `value` is the parsed text of a step that returns JSON. */
export type StepOutput = { returns: "text" | "markdown" | "json"; text: string; value?: unknown };

/** What a template or a condition can see. */
export type Scope = {
  payload: unknown;
  steps: Record<string, StepOutput>;
  run: Record<string, string | number>;
};

/** What stands between `{{` and `}}`. */
export type Reference =
  | { root: "payload"; path: Path }
  | { root: "steps"; id: string; path: Path }
  | { root: "run"; name: string };

/** `{{…}}`, its inside in group 1. */
const PLACEHOLDER = /\{\{([^{}]*)\}\}/g;

/** Reads `payload.x`, `steps.id.x` or `run.x`; undefined for anything else. */
export function parseReference(text: string): Reference | undefined {
  const inner = text.trim();
  const step = /^steps\.([A-Za-z_][A-Za-z0-9_-]*)(?:\.(.+))?$/s.exec(inner);
  if (step) {
    const path = step[2] === undefined ? [] : parsePath(step[2]);
    return path && { root: "steps", id: step[1] ?? "", path };
  }
  const path = parsePath(inner);
  const [root, ...rest] = path ?? [];
  if (root === "payload" && rest.length > 0) return { root, path: rest };
  if (root === "run" && rest.length === 1) return { root, name: String(rest[0]) };
  return undefined;
}

export type Placeholder = { inner: string; start: number; end: number };

/** All `{{…}}` of a text, and a `{{` with one of our roots that never closes. */
export function placeholdersIn(text: string): Placeholder[] {
  const found: Placeholder[] = [];
  for (const match of text.matchAll(PLACEHOLDER)) {
    found.push({ inner: match[1] ?? "", start: match.index, end: match.index + match[0].length });
  }
  const closed = new Set(found.map(({ start }) => start));
  for (const match of text.matchAll(/\{\{\s*(?:payload|steps|run|env)\.[\w.[\]-]*\}?(?![\w.[\]}\s-])/g)) {
    if (closed.has(match.index)) continue;
    found.push({ inner: match[0].slice(2), start: match.index, end: match.index + match[0].length });
  }
  return found;
}

/** The value that a reference names; undefined where there is none. */
export function valueOf(reference: Reference, scope: Scope): unknown {
  if (reference.root === "payload") return readPath(scope.payload, reference.path);
  if (reference.root === "run") return readPath(scope.run, [reference.name]);
  const step = Object.hasOwn(scope.steps, reference.id) ? scope.steps[reference.id] : undefined;
  if (!step) return undefined;
  if (reference.path.length === 0) return step.text;
  return readPath(step.value === undefined ? parsedOrNothing(step.text) : step.value, reference.path);
}

/** A step that returns JSON and has no value yet is read from its text; text that is not JSON has no fields. */
function parsedOrNothing(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Fills a template; what has no value becomes the empty text. What was filled in is never read again. */
export function renderTemplate(template: string, scope: Scope): string {
  return template.replace(PLACEHOLDER, (whole, inner: string) => {
    const reference = parseReference(inner);
    return reference ? asText(valueOf(reference, scope)) : whole;
  });
}

/** Fills a step's instructions; a whole step becomes a phrase that points at it, and is listed as used. */
export function renderInstructions(template: string, scope: Scope): { text: string; usedSteps: string[] } {
  const usedSteps = new Set<string>();
  const text = template.replace(PLACEHOLDER, (whole, inner: string) => {
    const reference = parseReference(inner);
    if (!reference) return whole;
    if (reference.root !== "steps" || reference.path.length > 0) return asText(valueOf(reference, scope));
    usedSteps.add(reference.id);
    return `the output of step "${reference.id}" (below)`;
  });
  return { text, usedSteps: [...usedSteps] };
}

function asText(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return value;
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
