import type { Problem } from "../client/answers.ts";

/** Stable: scripts branch on them. */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  notFound: 3,
  notAllowed: 4,
  conflict: 5,
  compileErrors: 6,
  runFailed: 7,
  held: 8,
  budget: 9,
  timeout: 10,
  interrupted: 130,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Ends a command: what went wrong, what to do about it, and the exit code. */
export class Failure extends Error {
  readonly exitCode: ExitCode;
  readonly hint: string | undefined;
  constructor(exitCode: ExitCode, message: string, hint?: string) {
    super(message);
    this.name = "Failure";
    this.exitCode = exitCode;
    this.hint = hint;
  }
}

export const usage = (message: string, hint?: string): Failure => new Failure(EXIT.usage, message, hint);

/** A refusal of the host as the end of a command. */
export function failureOf(problem: Problem): Failure {
  const { detail, failing = [], hint } = problem;
  const places = failing
    .filter(({ message }) => !detail.includes(message))
    .map(({ pointer, message }) => `\n  ${pointer || "/"} ${message}`);
  const message = `${detail}${places.join("")}`;
  if (problem.code === "unreachable") {
    return new Failure(
      EXIT.failed,
      `the host cannot be reached: ${detail}`,
      "Start it with `npm start`, or set MYTHOS_URL.",
    );
  }
  return new Failure(exitOf(problem), message, hint);
}

const BY_CODE: Record<string, ExitCode> = {
  workflow_invalid: EXIT.compileErrors,
  budget_exhausted: EXIT.budget,
};
const BY_STATUS: Record<number, ExitCode> = {
  400: EXIT.usage,
  401: EXIT.notAllowed,
  403: EXIT.notAllowed,
  404: EXIT.notFound,
  409: EXIT.conflict,
  412: EXIT.conflict,
  428: EXIT.conflict,
};

const exitOf = ({ code, status }: Problem): ExitCode => BY_CODE[code] ?? BY_STATUS[status] ?? EXIT.failed;
