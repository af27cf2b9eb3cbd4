import * as z from "zod";
import { AppError } from "../../core/errors.ts";
import type { RegisteredContext } from "../../core/registered.ts";

/** What a step gave a tool, as the tool takes it; more members are left aside. @throws {AppError} invalid_request */
export function toolInput<S extends z.ZodType>(tool: string, schema: S, input: unknown): z.infer<S> {
  const parsed = schema.safeParse(input ?? {});
  if (parsed.success) return parsed.data;
  const failing = parsed.error.issues.map(({ path, message }) => ({
    pointer: `/${path.join("/")}`,
    message,
  }));
  const first = failing[0];
  throw new AppError("invalid_request", `${tool} cannot take ${first?.pointer}: ${first?.message}`, {
    failing,
  });
}

/** Whether a pass may change anything: only when it says so, and a person or a schedule asked for it. */
export const mayAct = ({ requestedBy }: RegisteredContext, apply: unknown): boolean =>
  apply === true && (requestedBy.kind === "human" || requestedBy.kind === "schedule");
