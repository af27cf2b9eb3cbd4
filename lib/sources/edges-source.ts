import { AppError } from "../core/errors.ts";
import type { Source } from "../core/source.ts";
import { isOpen, type Edge } from "../edges/edge.ts";
import type { EdgeStore } from "../edges/store.ts";
import { lineOf, minuteOf } from "./lines.ts";

/** Most edges listed, those that were met most often first. */
const MAX_EDGES = 100;

const WANTED = {
  open: isOpen,
  answered: ({ state }) => state === "answered",
  resolved: ({ state }) => state === "resolved",
} as const satisfies Record<string, (edge: Edge) => boolean>;

const isWanted = (argument: string): argument is keyof typeof WANTED => Object.hasOwn(WANTED, argument);

/** `edges:open`, `edges:answered`, `edges:resolved`: what loops do not know, and what people said to it. */
export function createEdgesSource(deps: { edges: Pick<EdgeStore, "list"> }): Source {
  return {
    scheme: "edges",
    async read({ ownerUid }, argument) {
      if (!isWanted(argument)) {
        const message = `edges: takes ${Object.keys(WANTED).join(", ")}, not "${argument}"`;
        throw new AppError("source_unavailable", message, { source: `edges:${argument}` });
      }
      const edges = (await deps.edges.list(ownerUid))
        .filter(WANTED[argument])
        .toSorted((a, b) => b.count - a.count || a.firstSeenAt - b.firstSeenAt);
      if (edges.length === 0) return [];
      const lines = edges.slice(0, MAX_EDGES).map(lineOfEdge);
      const more =
        edges.length > MAX_EDGES ? [`- and ${edges.length - MAX_EDGES} more, which are left out`] : [];
      return [{ title: `Edges: ${argument}`, text: [...lines, ...more].join("\n") }];
    },
  };
}

const lineOfEdge = (edge: Edge): string =>
  lineOf(edge.subject, edge.question, {
    kind: edge.kind.replaceAll("_", " "),
    met: edge.count,
    "last met": minuteOf(edge.lastSeenAt),
    answer: edge.answer?.text ?? (edge.answer?.memoId ? `see memo ${edge.answer.memoId}` : undefined),
  });
