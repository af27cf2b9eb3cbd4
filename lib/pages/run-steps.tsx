import { count, money, Said, Status, When } from "./format.tsx";
import type { ShownRun, ShownStep } from "./run.tsx";
import { StepDetails } from "./run-step.tsx";
import type { Html, Shown } from "./shown.ts";
import { TimelineChart, took } from "./timeline.tsx";
import { timelineOf } from "./timeline-rows.ts";

/** What each step did, drawn and as a table, and the details of those that asked a model. */
export function Steps({ run, shown }: { run: ShownRun; shown: Shown }): Html {
  if (run.steps.length === 0) {
    return (
      <section class="sheet" aria-labelledby="steps">
        <h2 id="steps">Steps</h2>
        <p class="quiet">It ended, or waits, before its steps were known.</p>
      </section>
    );
  }
  return (
    <section class="sheet" aria-labelledby="steps">
      <h2 id="steps">Steps</h2>
      <TimelineChart timeline={timelineOf(run, shown.at)} />
      <details>
        <summary>The same as a table</summary>
        <StepTable steps={run.steps} shown={shown} />
      </details>
      {run.steps.map((step) => hasDetails(step) && <StepDetails step={step} />)}
    </section>
  );
}

const hasDetails = (step: ShownStep): boolean =>
  "output" in step || ("failed" in step && step.failed !== undefined);

function StepTable({ steps, shown }: { steps: readonly ShownStep[]; shown: Shown }): Html {
  return (
    <div class="scroll" tabindex={0} role="region" aria-label="Steps">
      <table>
        <thead>
          <tr>
            <th scope="col">Step</th>
            <th scope="col">Kind</th>
            <th scope="col">State</th>
            <th scope="col">Began</th>
            {["Took", "Tokens", "Cost", "Attempts", "Tool calls"].map((name) => (
              <th scope="col" class="number">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {steps.map((step) => (
            <tr>
              <th scope="row">
                <Said text={step.id} />
              </th>
              <td>{step.kind}</td>
              <td>
                <Status of={"keptFrom" in step && step.keptFrom ? "kept" : step.status} />
              </td>
              <td class="nowrap">
                {"startedAt" in step && step.startedAt !== undefined ? (
                  <When at={step.startedAt} now={shown.at} />
                ) : (
                  "–"
                )}
              </td>
              <td class="number">{step.ms === null ? "–" : took(step.ms)}</td>
              <td class="number">{count(step.tokens)}</td>
              <td class="number">{"costMicroUsd" in step ? money(step.costMicroUsd ?? null) : "–"}</td>
              <td class="number">
                {"attempts" in step && step.attempts ? count(step.attempts.length) : "–"}
              </td>
              <td class="number">{"tools" in step && step.tools ? count(step.tools.length) : "–"}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
