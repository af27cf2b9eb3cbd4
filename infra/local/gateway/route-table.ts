import type { FunctionDeclaration, Route } from "../../topology.ts";

export type Target = { functionName: string; route: Route };

export type Match =
  | { found: "route"; target: Target; pathParameters: Record<string, string> }
  /** The path is known, but not with this method. */
  | { found: "path"; allowed: string[] }
  | { found: "nothing" };

type Entry = Target & { segments: readonly string[] };

/** Finds the function of a request. A fixed segment is preferred to `{id}` and that to `{rest+}`, from the left, as HTTP APIs do. */
export function createRouteTable(
  functions: Readonly<Record<string, Pick<FunctionDeclaration, "routes">>>,
): (method: string, rawPath: string) => Match {
  const entries = Object.entries(functions)
    .flatMap(([functionName, { routes = [] }]) =>
      routes.map((route): Entry => ({ functionName, route, segments: route.path.split("/").slice(1) })),
    )
    .sort((a, b) => (specificity(a) < specificity(b) ? -1 : 1));
  return (method, rawPath) => {
    const parts = decode(rawPath);
    if (!parts) return { found: "nothing" };
    const onPath = entries.flatMap((entry) => {
      const pathParameters = matchSegments(entry.segments, parts);
      return pathParameters ? [{ entry, pathParameters }] : [];
    });
    const matched = onPath.find(({ entry }) => entry.route.method === method);
    if (matched) {
      const { functionName, route } = matched.entry;
      return { found: "route", target: { functionName, route }, pathParameters: matched.pathParameters };
    }
    const allowed = [...new Set(onPath.map(({ entry }) => entry.route.method))].sort();
    return allowed.length > 0 ? { found: "path", allowed } : { found: "nothing" };
  };
}

/** Sorts fixed segments before parameters, and those before all that is left, at the first place where two paths differ. */
const specificity = (entry: Entry) =>
  entry.segments.map((segment) => (isRest(segment) ? 2 : isParameter(segment) ? 1 : 0)).join("");
const isRest = (segment: string) => segment.endsWith("+}");
const isParameter = (segment: string) => segment.startsWith("{");

/** Segments with their escapes resolved; undefined when one is no UTF-8. */
function decode(rawPath: string): string[] | undefined {
  try {
    return rawPath.split("/").slice(1).map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

function matchSegments(
  segments: readonly string[],
  parts: readonly string[],
): Record<string, string> | undefined {
  const hasRest = isRest(segments.at(-1) ?? "");
  if (hasRest ? parts.length < segments.length : segments.length !== parts.length) return undefined;
  const parameters: Record<string, string> = {};
  for (const [position, segment] of segments.entries()) {
    const part = parts[position] ?? "";
    if (isRest(segment)) {
      parameters[segment.slice(1, -2)] = parts.slice(position).join("/");
      continue;
    }
    if (isParameter(segment)) {
      if (part === "") return undefined;
      parameters[segment.slice(1, -1)] = part;
    } else if (segment !== part) {
      return undefined;
    }
  }
  return parameters;
}
