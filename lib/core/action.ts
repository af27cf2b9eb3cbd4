import type { PrincipalKind } from "./principal.ts";
import type { RegisteredContext } from "./registered.ts";

/** What a run has come to before its output step acts. */
export type ActionGiven = {
  /** The checked payload, with its defaults. */
  payload: Readonly<Record<string, unknown>>;
  /** What the judging step's `For each` went through; none where it has no `For each`. */
  elements: readonly unknown[];
  /**
   * What the judging step said: of its n-th element the n-th, `{error: {code, message}}` where the answer could not
   * be used. Elements past the last answer were not asked about.
   */
  answers: readonly unknown[];
  /** Who answered; empty when nobody was asked. */
  model: string;
  /** Who wrote the workflow as it runs; null when nobody can say. */
  writtenBy: PrincipalKind | null;
  /** The workflow is staged: nothing may be changed, and the text says what would have been. */
  rehearsal: boolean;
};

/**
 * What an output step may do beside writing: registered, typed and reviewed here, since no person looks before it.
 * It is repeated after a crash until its text is kept, so of one run it has its effects once.
 */
export type Action = {
  name: string;
  /** Gives the text that the step writes. Throws an AppError whose message the run shows. */
  call(context: RegisteredContext, given: ActionGiven): Promise<{ text: string }>;
};
