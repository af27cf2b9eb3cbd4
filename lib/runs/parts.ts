// Names of a run's rows: what the sort key of the Runs table says.

export const HEAD = "HEAD";
export const MANIFEST = "MANIFEST";

const two = (value: number): string => String(value).padStart(2, "0");

/** All rows of one step in one revision, whatever epoch wrote them. */
export const stepPrefix = (step: number, revision: number): string => `STEP#${two(step)}#R${revision}#`;

/** A step's output, by the epoch that wrote it: two runners can never write the same row. */
export const stepPart = (step: number, revision: number, epoch: number): string =>
  `${stepPrefix(step, revision)}E${epoch}`;

/** How the head names a step row, `R1E2`: the step is known from its place in the list. */
export const nameOfStepPart = (part: string): string => part.split("#").slice(2).join("");

/** The row that the head names for a step. */
export function namedStepPart(step: number, name: string): string {
  const match = /^R(\d+)E(\d+)$/.exec(name);
  return stepPart(step, Number(match?.[1]), Number(match?.[2]));
}

/** A frozen proposal, by its sha: bytes that were shown can never be put over by others. */
export const proposalPart = (stepId: string, revision: number, sha256: string): string =>
  `PROPOSAL#${stepId}#${revision}#${sha256}`;

export const reasonPart = (decisionId: string): string => `REASON#${decisionId}`;

export const chunkPart = (part: string, index: number): string => `CHUNK#${part}#${two(index)}`;
