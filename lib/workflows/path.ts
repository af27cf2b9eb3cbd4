/** The way to a value inside JSON: names and positions. */
export type Path = (string | number)[];

const IDENT = /[A-Za-z_][A-Za-z0-9_]*/y;
const INDEX = /\[(\d{1,6})\]/y;

/** `a.b[0].c` as its parts; undefined for anything else. */
export function parsePath(text: string): Path | undefined {
  const path: Path = [];
  let at = 0;
  while (at < text.length) {
    const index = path.length > 0 ? sticky(INDEX, text, at) : undefined;
    if (index) {
      path.push(Number(index[1]));
      at += index[0].length;
      continue;
    }
    if (path.length > 0) {
      if (text[at] !== ".") return undefined;
      at += 1;
    }
    const ident = sticky(IDENT, text, at);
    if (!ident) return undefined;
    path.push(ident[0]);
    at += ident[0].length;
  }
  return path.length > 0 ? path : undefined;
}

function sticky(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** The value at a path; undefined where there is none. Only a value's own members are seen. */
export function readPath(value: unknown, path: Path): unknown {
  let current = value;
  for (const part of path) {
    if (typeof current !== "object" || current === null || !Object.hasOwn(current, part)) return undefined;
    current = (current as Record<string | number, unknown>)[part];
  }
  return current;
}
