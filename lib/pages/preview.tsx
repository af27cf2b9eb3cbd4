import type { LoadRecord } from "../runs/plan.ts";
import type { PreviewedStep } from "../runs/preview.ts";
import { count, Said } from "./format.tsx";
import { Written } from "./markdown.tsx";
import type { Html } from "./shown.ts";

/** What a dry run found out. */
export type DryRunResult =
  | { ok: false; fault: { code: string; message: string; hint: string } }
  | { ok: true; loads: readonly LoadRecord[]; steps: readonly PreviewedStep[] };

/** A payload, and what the workflow would show the model for it. */
export function DryRun(props: { workflowId: string; payload: string; result: DryRunResult | null }): Html {
  const { workflowId, payload, result } = props;
  const fault = result && !result.ok ? result.fault : null;
  return (
    <section class="sheet" aria-labelledby="dry-run">
      <h2 id="dry-run">Dry run</h2>
      <form method="get" action={`/steward/workflows/${workflowId}#dry-run`} class="field">
        <label for="payload">Payload, as JSON</label>
        <textarea
          id="payload"
          name="payload"
          class="text"
          rows={Math.min(12, Math.max(3, payload.split("\n").length))}
          maxlength={4000}
          spellcheck={false}
          aria-describedby={fault ? "payload-fault" : "payload-help"}
          aria-invalid={fault ? "true" : undefined}
        >
          {payload}
        </textarea>
        <p class="quiet small" id="payload-help">
          No model is asked and nothing is written: it shows what would be asked.
        </p>
        <div class="actions">
          <button type="submit">Show the prompts</button>
        </div>
      </form>
      {fault && (
        <div class="note bad" id="payload-fault">
          <p>
            <Said text={fault.message} />
          </p>
          <p class="quiet">
            <code>{fault.code}</code> · <Said text={fault.hint} />
          </p>
        </div>
      )}
      {result?.ok && <Prompts {...result} />}
    </section>
  );
}

const Prompts = ({ loads, steps }: Extract<DryRunResult, { ok: true }>): Html => (
  <>
    {loads.length > 0 && (
      <div class="scroll" tabindex={0} role="region" aria-label="What would be loaded">
        <table>
          <thead>
            <tr>
              <th scope="col">Memo or search</th>
              <th scope="col">As</th>
              <th scope="col">Loaded</th>
              <th scope="col" class="number">
                Tokens
              </th>
              <th scope="col">Because</th>
            </tr>
          </thead>
          <tbody>
            {loads.map((load) => (
              <tr>
                <th scope="row">
                  {load.memoId ? (
                    <a href={`/steward/memos/${load.memoId}`}>
                      <Said text={load.title ?? load.ref} />
                    </a>
                  ) : (
                    <Said text={load.title ?? load.ref} />
                  )}
                </th>
                <td>{load.class}</td>
                <td>{load.loaded ? "yes" : "no"}</td>
                <td class="number">{load.tokens === undefined ? "–" : count(load.tokens)}</td>
                <td class="text">
                  <Said text={load.reason} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    )}
    {steps.length === 0 && <p class="quiet">No step of it asks a model.</p>}
    {steps.map((step) => (
      <details class="prompt">
        <summary>
          <strong>
            <Said text={step.stepId} />
          </strong>{" "}
          asks <Said text={step.model} /> for {step.returns}, about {count(step.tokens)} tokens
        </summary>
        {step.missing.length > 0 && (
          <p class="quiet">
            Not there yet: <Said text={step.missing.join(", ")} />.
          </p>
        )}
        <h3>System</h3>
        <Written text={step.system} />
        <h3>User</h3>
        <Written text={step.user} />
      </details>
    ))}
  </>
);
