import type { APICallError } from "ai";
import { SECOND_MS } from "../core/duration.ts";
import { AppError, isAppError } from "../core/errors.ts";
import type { Provider } from "./provider.ts";

type Failed = Pick<Provider, "name" | "modelId" | "region" | "key">;

/**
 * A provider's failure as one of ours. Its own text and cause are left behind: they hold the request, which is
 * the prompt, and may hold a part of the key.
 */
export function providerError(failed: Failed, stepId: string, error: unknown): AppError {
  if (isAppError(error)) return error;
  const fail = (message: string) => new AppError("model_failed", message, { stepId, attempts: 1 });
  if (!isCallError(error)) {
    return fail(`${failed.name} could not be asked (${error instanceof Error ? error.name : "unknown"})`);
  }
  const { statusCode: status } = error;
  const code = codeOf(error.cause);
  // An answer that breaks off has the status of its beginning.
  if (status === undefined || code !== undefined) {
    return fail(`the connection to ${failed.name} failed (${code ?? "no code"})`);
  }
  if (status < 300) return fail(`the answer of ${failed.name} could not be read`);
  const reason = reasonOf(error);
  const answered = `${failed.name} answered ${status}${reason === undefined ? "" : ` ${reason}`}`;
  if (status === 429 || status === OVERLOADED || reason === "ThrottlingException") {
    return new AppError("model_throttled", answered, { retryAfterMs: retryAfterMs(error.responseHeaders) });
  }
  if (NEEDS_PROFILE.test(error.message)) return fail(`${answered}: ${profileAdvice(failed)}`);
  if (status === 401 || status === 403) return fail(`${answered}: ${keyAdvice(failed)}`);
  if (status === 404) {
    return fail(`${answered}: check the model id "${failed.modelId}" and baseUrl in config.json`);
  }
  return fail(answered);
}

/** Matched by name: each provider brings a copy of the class. */
const isCallError = (error: unknown): error is APICallError =>
  error instanceof Error && error.name === "AI_APICallError";

/** Anthropic's status for a service that is over its load: it passes, as a throttle does. */
const OVERLOADED = 529;

/** Bedrock spells it with a typographic apostrophe. */
const NEEDS_PROFILE = /on-demand throughput isn.t supported/i;

/** Newer models answer only through a profile, which spreads a call over the regions of an area. */
function profileAdvice({ modelId, region }: Failed): string {
  const prefix = region === null ? undefined : areaOf(region);
  const use =
    prefix === undefined
      ? `us.${modelId}, eu.${modelId}, apac.${modelId} or global.${modelId}, by your region`
      : `${prefix}.${modelId}`;
  return `${modelId} is asked through an inference profile; set models.….model in config.json to ${use}`;
}

/** What the ids of a region's inference profiles begin with. */
export function areaOf(region: string): string {
  if (region.startsWith("us-gov-")) return "us-gov";
  if (region.startsWith("us-") || region.startsWith("ca-")) return "us";
  if (region.startsWith("eu-")) return "eu";
  return region.startsWith("ap-") ? "apac" : "global";
}

function keyAdvice({ name, modelId, key }: Failed): string {
  if (key) return `check the key in ${key.env}`;
  return name === "bedrock"
    ? `let this role invoke ${modelId}, or name a key's variable as keyEnv in config.json`
    : "name the variable that holds its key as keyEnv in config.json";
}

/** A word that providers put into machine-readable fields, never a sentence. */
const Word = /^[\w.:-]{1,64}$/;

function reasonOf(error: APICallError): string | undefined {
  // Bedrock: "ValidationException:http://internal.amazon.com/…".
  const type = error.responseHeaders?.["x-amzn-errortype"]?.split(":")[0];
  const data = error.data as { error?: { type?: unknown; code?: unknown } } | undefined;
  return [type, data?.error?.code, data?.error?.type].find(
    (word): word is string => typeof word === "string" && Word.test(word),
  );
}

/** How long a provider asks to wait; a date counts from the answer's own clock. */
export function retryAfterMs(headers: Readonly<Record<string, string>> | undefined): number | null {
  const exact = Number.parseFloat(headers?.["retry-after-ms"] ?? "");
  if (exact >= 0) return Math.ceil(exact);
  const text = headers?.["retry-after"] ?? "";
  if (/^\d+(?:\.\d+)?$/.test(text)) return Math.ceil(Number(text) * SECOND_MS);
  const waitMs = Date.parse(text) - Date.parse(headers?.["date"] ?? "");
  return Number.isNaN(waitMs) ? null : Math.max(0, waitMs);
}

function codeOf(cause: unknown): string | undefined {
  for (let at = cause; at instanceof Error; at = at.cause) {
    if ("code" in at && typeof at.code === "string" && Word.test(at.code)) return at.code;
  }
  return undefined;
}
