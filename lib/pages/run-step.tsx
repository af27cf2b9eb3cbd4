import { printable } from "../core/printable.ts";
import { count, money, Said } from "./format.tsx";
import type { ShownStep } from "./run.tsx";
import { meaningOf } from "./runs-words.tsx";
import type { Html } from "./shown.ts";
import { took } from "./timeline.tsx";

/** Calls of tools that are listed; the rest is counted. */
const TOOLS_SHOWN = 30;

/** What one step asked and was answered. */
export function StepDetails({ step }: { step: ShownStep }): Html {
  const { failed = [] } = "failed" in step ? step : {};
  const done = "output" in step ? step : undefined;
  const { attempts = [], tools = [], forEach } = done ?? {};
  return (
    <details class="step">
      <summary>
        <Said text={step.id} />{" "}
        <span class="quiet">
          {done ? doneText(step, done) : "no usable answer yet"}
          {attempts.length > 1 && `, ${attempts.length} attempts`}
          {tools.length > 0 && `, ${tools.length} tool calls`}
        </span>
      </summary>
      {done && done.model !== "" && (
        <p class="quiet small">
          {count(done.usage.input)} in, {count(done.usage.cacheRead)} from the cache,{" "}
          {count(done.usage.cacheWrite)} into it, {count(done.usage.output)} out
          {done.usage.estimated && " (estimated)"} · {money(done.costMicroUsd)}
          {done.promptHash !== "" && (
            <>
              {" "}
              · prompt <code>{done.promptHash.slice(0, 19)}…</code>
            </>
          )}
          {done.keptFrom && " · kept from an earlier run"}
        </p>
      )}
      {forEach && (
        <p>
          {count(forEach.asked)} of {count(forEach.elements)} elements{" "}
          {step.kind === "map" ? "done" : "asked"}, {count(forEach.failed)} without a usable{" "}
          {step.kind === "map" ? "outcome" : "answer"}. <Said text={forEach.note} />
        </p>
      )}
      {attempts.length > 1 && (
        <ol class="list">
          {attempts.map(({ model, stop, ms, costMicroUsd, failing }) => (
            <li>
              {model}, {stop}, {took(ms)}, {money(costMicroUsd)}
              {failing.length > 0 && (
                <span class="quiet">
                  {" "}
                  – did not fit:{" "}
                  <Said
                    text={failing.map(({ pointer, message }) => `${pointer || "/"} ${message}`).join("; ")}
                  />
                </span>
              )}
            </li>
          ))}
        </ol>
      )}
      {failed.map(({ code, tokens, output }) => (
        <div class="note bad">
          <p>
            {meaningOf(code ?? "")?.title ?? "The answer could not be used"} <code>{code ?? "unknown"}</code>,{" "}
            {count(tokens)} tokens
          </p>
          {output !== "" && (
            <pre tabindex={0}>
              <code dir="auto">{printable(output)}</code>
            </pre>
          )}
        </div>
      ))}
      {tools.length > 0 && (
        <ul class="list">
          {tools.slice(0, TOOLS_SHOWN).map(({ name, outcome, ms, chars }) => (
            <li>
              <code>{name}</code> {outcome}, {took(ms)}, {count(chars)} characters
            </li>
          ))}
          {tools.length > TOOLS_SHOWN && <li>and {count(tools.length - TOOLS_SHOWN)} more</li>}
        </ul>
      )}
      {done && (
        <>
          <pre tabindex={0} class="tall">
            <code dir="auto">{printable(done.output)}</code>
          </pre>
          {step.outputLength !== undefined && step.outputLength > done.output.length && (
            <p class="quiet small">
              The first {count(done.output.length)} of {count(step.outputLength)} characters.
            </p>
          )}
        </>
      )}
    </details>
  );
}

/** Who answered and what it took; of a step that asks no model, what it called. */
function doneText(step: ShownStep, done: Extract<ShownStep, { output: string }>): string {
  if (done.model !== "") return `${done.model}, ${count(done.tokens)} tokens`;
  return [step.kind, "name" in step && step.name].filter(Boolean).join(" ");
}
