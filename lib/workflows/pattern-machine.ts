import type { Assertion, Syntax } from "./pattern-syntax.ts";

/** More states than this are refused: each may be looked at for each character. */
export const MAX_STATES = 4000;

/** Most looks at a state that one match takes: below a second of a busy processor. A longer text is matched by its start. */
const MAX_LOOKS = 10_000_000;
const MAX_SUBJECT_LENGTH = 100_000;

/** How many states a pattern takes; counted before any is made. */
export function statesOf(syntax: Syntax): number {
  switch (syntax.kind) {
    case "atom":
    case "assert":
      return 1;
    case "each":
      return syntax.parts.reduce((sum, part) => sum + statesOf(part), 0);
    case "any":
      return syntax.choices.reduce((sum, choice) => sum + statesOf(choice) + 1, 0);
    case "repeat": {
      const optional = syntax.max === Number.POSITIVE_INFINITY ? 1 : syntax.max - syntax.min;
      // A repeat of nothing is built as often as one of something.
      const states = Math.max(1, statesOf(syntax.of));
      return syntax.min * states + optional * (states + 1);
    }
  }
}

type State =
  | { kind: "take"; fits: (character: string) => boolean; next: number }
  | { kind: "assert"; of: Assertion; next: number }
  | { kind: "fork"; next: number; other: number };

/** The state that every way through a pattern ends in. */
const DONE = 0;

/**
 * Whether a text has a match, in one pass: all ways through the pattern are followed at once and each state is
 * looked at once for each character, so that the time is states times characters whatever the pattern. One
 * character is left to JavaScript's own expressions, so that classes and flags mean what they mean there.
 */
export function hasMatch(syntax: Syntax, flags: string, subject: string): boolean {
  const states: State[] = [{ kind: "fork", next: DONE, other: DONE }];
  const start = build(syntax, DONE, states, flags);
  const length = Math.min(MAX_SUBJECT_LENGTH, Math.floor(MAX_LOOKS / states.length));
  const text = subject.slice(0, length);
  const characters = flags.includes("u") ? [...text] : text.split("");
  const assertions = assertionsOf(flags);
  const seenAt = new Int32Array(states.length).fill(-1);
  let current: number[] = [];
  for (let at = 0; at <= characters.length; at++) {
    const before = characters[at - 1];
    const after = characters[at];
    const open = [start, ...current];
    const takes: Extract<State, { kind: "take" }>[] = [];
    for (let index = open.pop(); index !== undefined; index = open.pop()) {
      if (index === DONE) return true;
      if (seenAt[index] === at) continue;
      seenAt[index] = at;
      const state = states[index];
      if (state?.kind === "take") takes.push(state);
      else if (state?.kind === "fork") open.push(state.next, state.other);
      else if (state && assertions[state.of](before, after)) open.push(state.next);
    }
    current = [];
    if (after === undefined) return false;
    for (const { fits, next } of takes) if (fits(after)) current.push(next);
  }
  return false;
}

/** Adds the states of a pattern, its end first; gives the one it starts with. */
function build(syntax: Syntax, next: number, states: State[], flags: string): number {
  const add = (state: State): number => states.push(state) - 1;
  switch (syntax.kind) {
    case "atom":
      return add({ kind: "take", fits: fitsOf(syntax.source, flags), next });
    case "assert":
      return add({ kind: "assert", of: syntax.of, next });
    case "each":
      return syntax.parts.reduceRight((then, part) => build(part, then, states, flags), next);
    case "any":
      return syntax.choices
        .map((choice) => build(choice, next, states, flags))
        .reduce((other, choice) => add({ kind: "fork", next: choice, other }));
    case "repeat": {
      let then = next;
      if (syntax.max === Number.POSITIVE_INFINITY) {
        const loop = add({ kind: "fork", next, other: next });
        states[loop] = { kind: "fork", next: build(syntax.of, loop, states, flags), other: next };
        then = loop;
      } else {
        for (let count = syntax.min; count < syntax.max; count++) {
          then = add({ kind: "fork", next: build(syntax.of, then, states, flags), other: next });
        }
      }
      for (let count = 0; count < syntax.min; count++) then = build(syntax.of, then, states, flags);
      return then;
    }
  }
}

function fitsOf(source: string, flags: string): (character: string) => boolean {
  const one = new RegExp(`^(?:${source})$`, flags.replace("m", ""));
  const known = new Map<string, boolean>();
  return (character) => {
    let fits = known.get(character);
    if (fits === undefined) known.set(character, (fits = one.test(character)));
    return fits;
  };
}

type Holds = (before: string | undefined, after: string | undefined) => boolean;

function assertionsOf(flags: string): Record<Assertion, Holds> {
  const word = new RegExp("^\\w$", flags.replace("m", ""));
  const isWord = (character: string | undefined): boolean => character !== undefined && word.test(character);
  const isLineEnd = (character: string | undefined): boolean =>
    character === undefined || (flags.includes("m") && /[\n\r\u2028\u2029]/.test(character));
  const atBoundary: Holds = (before, after) => isWord(before) !== isWord(after);
  return {
    "^": isLineEnd,
    $: (_, after) => isLineEnd(after),
    "\\b": atBoundary,
    "\\B": (before, after) => !atBoundary(before, after),
  };
}
