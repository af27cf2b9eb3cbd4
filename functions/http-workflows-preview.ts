import * as z from "zod";
import { AppError } from "../lib/core/errors.ts";
import { rawMember } from "../lib/core/json-slice.ts";
import type { WorkflowLibrary } from "../lib/intake/workflow-library.ts";
import { previewPrompts, type PreviewDeps } from "../lib/runs/preview.ts";
import type { Compiled } from "../lib/workflows/compile.ts";
import { route } from "./middleware/route.ts";

/** A text or a workflow of the library; without a payload it is compiled and nothing more. */
const PreviewRequest = z
  .strictObject({
    text: z.string().optional(),
    workflow: z.string().optional(),
    payload: z.record(z.string(), z.json()).optional(),
  })
  .refine(
    ({ text, workflow }) => (text === undefined) !== (workflow === undefined),
    "must name a text or a workflow",
  );

/** The envelope around the largest payload and the largest workflow. */
const MAX_BODY_BYTES = 512 * 1024;

export type PreviewRouteDeps = { workflows: WorkflowLibrary; preview: PreviewDeps };

/** What a workflow would show the model. Nothing is stored, nothing is enqueued, no model is called. */
export function previewRoutes({ workflows, preview }: PreviewRouteDeps) {
  return {
    "POST /api/workflows/preview": route({
      scope: "memos:read",
      body: PreviewRequest,
      maxBodyBytes: MAX_BODY_BYTES,
      async run({ principal: { ownerUid }, body, bodyText }) {
        const compiled = await compiledOf(workflows, ownerUid, body);
        const { diagnostics } = compiled;
        const said = { compiles: compiled.ok, diagnostics, manifest: compiled.ok ? compiled.manifest : null };
        if (!compiled.ok || body.payload === undefined) {
          return { status: 200, isRead: true as const, body: { ...said, loads: [], steps: [] } };
        }
        const { manifest } = compiled;
        const payloadText = rawMember(bodyText, "payload") ?? "{}";
        return {
          status: 200,
          isRead: true as const,
          body: { ...said, ...(await previewPrompts(preview, ownerUid, { manifest, payloadText })) },
        };
      },
    }),
  };
}

async function compiledOf(
  workflows: WorkflowLibrary,
  ownerUid: string,
  { text, workflow = "" }: z.infer<typeof PreviewRequest>,
): Promise<Compiled> {
  if (text !== undefined) return workflows.compileText(ownerUid, text);
  const found = await workflows.find(ownerUid, workflow);
  if (found) return found.compiled;
  throw new AppError("workflow_not_found", `there is no workflow ${workflow}`, { workflow });
}
