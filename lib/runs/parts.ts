// Names of a run's rows: what the sort key of the Runs table says.

export const HEAD = "HEAD";
export const MANIFEST = "MANIFEST";

const two = (value: number): string => String(value).padStart(2, "0");

const revisionOf = (step: number, revision: number): string => `STEP#${two(step)}#R${revision}#`;

/** The whole outputs of one step in one revision, whatever epoch wrote them. */
export const stepPrefix = (step: number, revision: number): string => `${revisionOf(step, revision)}E`;

/** A step's output, by the epoch that wrote it: two runners can never write the same row. */
export const stepPart = (step: number, revision: number, epoch: number): string =>
  `${stepPrefix(step, revision)}${epoch}`;

/** The outputs that a step has for single elements in one revision. */
export const elementPrefix = (step: number, revision: number): string => `${revisionOf(step, revision)}I`;

/** A step's output for one element of its `For each`, by the epoch that wrote it. */
export const elementPart = (step: number, revision: number, element: number, epoch: number): string =>
  `${elementPrefix(step, revision)}${element}#E${epoch}`;

/** The answer of a model within an item of a map, by which of the map's steps asked. */
export const nestedPart = (
  step: number,
  revision: number,
  item: number,
  nested: number,
  epoch: number,
): string => `${elementPrefix(step, revision)}${item}#N${nested}#E${epoch}`;

/** Which item of a map a row under `elementPrefix` is of; `nested` is null for the item's own. */
export function placeOfElementPart(part: string): { item: number; nested: number | null } {
  const match = /#I(\d+)(?:#N(\d+))?#E\d+$/.exec(part);
  return { item: Number(match?.[1]), nested: match?.[2] === undefined ? null : Number(match[2]) };
}

/** Calls that cost something and left no output, by step and epoch. */
export const FAILED_PREFIX = "FAILED#";
/** Those of one step in one revision. */
export const failedPrefix = (step: number, revision: number): string =>
  `${FAILED_PREFIX}${two(step)}#R${revision}#`;
export const failedPart = (step: number, revision: number, epoch: number, element: number | null): string =>
  `${failedPrefix(step, revision)}E${epoch}${element === null ? "" : `#I${element}`}`;

/** What one `Include` brought in, by its place among all of them. */
export const sourcePrefix = (include: number): string => `SOURCE#${include}#E`;
export const sourcePart = (include: number, epoch: number): string => `${sourcePrefix(include)}${epoch}`;

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

/** What the action of an output step gave: done once in a run, whatever is revised after it. */
export const actionPart = (stepId: string): string => `ACTION#${stepId}`;

/** A reason belongs to one decider's decision: a like id of somebody else, or for something else, is another row. */
export const reasonPart = (decision: { decisionId: string; by: string; said?: string }): string =>
  `REASON#${decision.decisionId}#${decision.by}${decision.said ? `#${decision.said}` : ""}`;

/** A decided gate, once another one took its place on the head. */
export const DECISION_PREFIX = "DECISION#";
export const decisionPart = (holdId: string): string => `${DECISION_PREFIX}${holdId}`;

/** The facts of a budget hold's question, by their sha. */
export const questionPart = (sha256: string): string => `QUESTION#${sha256}`;

/** What a landing lost to, when the hold was opened. */
export const conflictPart = (holdId: string): string => `CONFLICT#${holdId}`;

/** One piece of a text that did not fit its row, by the text's sha. */
export const chunkPart = (part: string, textSha: string, index: number): string =>
  `CHUNK#${part}#${textSha.slice(-16)}#${two(index)}`;
