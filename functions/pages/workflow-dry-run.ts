import { ERRORS, isAppError } from "../../lib/core/errors.ts";
import { isServerFault } from "../middleware/map-errors.ts";
import { previewPrompts, type PreviewDeps } from "../../lib/runs/preview.ts";
import type { Input, Manifest } from "../../lib/workflows/manifest.ts";

/** What a workflow would show the model, or why it would not start. No model is called and nothing is written. */
export async function dryRunOf(deps: PreviewDeps, ownerUid: string, manifest: Manifest, payload: string) {
  const payloadText = payload.trim() === "" ? "{}" : payload;
  const wrong = faultOf(payloadText);
  if (wrong) return { ok: false as const, fault: wrong };
  try {
    return { ok: true as const, ...(await previewPrompts(deps, ownerUid, { manifest, payloadText })) };
  } catch (error) {
    if (!isAppError(error) || isServerFault(error)) throw error;
    return {
      ok: false as const,
      fault: { code: error.code as string, message: error.message, hint: ERRORS[error.code].hint },
    };
  }
}

/** What keeps a text from being a payload at all. */
function faultOf(text: string): { code: string; message: string; hint: string } | null {
  const hint = 'Write an object, such as {"topic": "Queues"}.';
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return null;
    return { code: "payload_invalid", message: "This is JSON, and no object.", hint };
  } catch (error) {
    const why = error instanceof Error ? error.message : "it ends too early";
    return { code: "payload_invalid", message: `This is no JSON: ${why}`, hint };
  }
}

const STAND_INS: Record<Input["type"], unknown> = {
  string: "",
  number: 0,
  boolean: false,
  url: "https://",
  memo: "",
  json: {},
};

/** The fields that must be there, to be filled in. */
export const payloadTemplate = (inputs: readonly Input[]): string =>
  JSON.stringify(
    Object.fromEntries(
      inputs.flatMap(({ name, type, required, default: standard }) =>
        required ? [[name, standard ?? STAND_INS[type]]] : [],
      ),
    ),
    null,
    2,
  );
