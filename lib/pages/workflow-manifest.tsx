import { canonicalJson } from "../core/canonical-json.ts";
import { printable } from "../core/printable.ts";
import { fileStepText } from "../workflows/file-step-text.ts";
import type { Invoke, Manifest, Step } from "../workflows/manifest.ts";
import { count, Said, span } from "./format.tsx";
import { Hash } from "./memo-marks.tsx";
import { Written } from "./markdown.tsx";
import type { Html } from "./shown.ts";
import { conditionText, Inputs, Loads } from "./workflow-contract.tsx";

/** What a workflow compiles to, to be read; and below it letter by letter. */
export function ManifestPreview({ manifest }: { manifest: Manifest }): Html {
  const { trigger, load, steps, estimates } = manifest;
  const guaranteed = estimates.guaranteedTokens;
  return (
    <section class="sheet manifest" aria-labelledby="manifest">
      <h2 id="manifest">What it compiles to</h2>
      <h3>When it runs</h3>
      <ul>
        {trigger.invoke.map((invoke) => (
          <li>{invokeText(invoke)}</li>
        ))}
      </ul>
      {trigger.inputs.length > 0 && <Inputs inputs={trigger.inputs} />}
      <h3>What it loads</h3>
      {load.length === 0 ? <p class="quiet">Nothing beside what it is asked.</p> : <Loads load={load} />}
      <p class="quiet small">
        {guaranteed === null
          ? "How much is certain to be loaded cannot be said."
          : `About ${count(guaranteed)} tokens are certain to be loaded.`}
        {estimates.worstCaseTokens !== null && ` A run may take ${count(estimates.worstCaseTokens)} at most.`}
      </p>
      <h3>What it does</h3>
      <ol>
        {steps.map((step) => (
          <li>
            <strong>{step.kind}</strong>{" "}
            <code>
              <Said text={step.id} />
            </code>{" "}
            {stepText(step)}
            <p class="quiet lines-kept">
              <bdi>{printable(step.instructions)}</bdi>
            </p>
          </li>
        ))}
      </ol>
      <h3>What keeps it in bounds</h3>
      <PolicyList policy={manifest.policy} />
      <details>
        <summary>
          The manifest as JSON, <Hash of={manifest.manifestHash} />
        </summary>
        <Written text={pretty(manifest)} />
      </details>
    </section>
  );
}

/** Its members in the order of the canonical form that the hash is over. */
const pretty = (manifest: Manifest): string => JSON.stringify(JSON.parse(canonicalJson(manifest)), null, 2);

function invokeText(invoke: Invoke): Html {
  switch (invoke.kind) {
    case "queue":
      return <>A row in its queue.</>;
    case "command":
      return <>Its command, in chat or through a tool.</>;
    case "schedule":
      return (
        <>
          <code>{invoke.expression}</code> in {invoke.timeZone ?? "UTC"}
          {invoke.paused ? ", once a person has switched it on." : "."}
        </>
      );
    case "memo":
      return (
        <>
          Each memo that gains the tag <Said text={invoke.tag} />.
        </>
      );
  }
}

function stepText(step: Step): string {
  switch (step.kind) {
    case "trigger":
      return "";
    case "context":
      return step.include.length > 0 ? `reads ${step.include.join(", ")}` : "";
    case "process":
      return [
        `returns ${step.returns}`,
        step.model && `by ${step.model}`,
        step.forEach && `for each of ${step.forEach.path}`,
        step.tools.length > 0 && `with ${step.tools.join(", ")}`,
      ]
        .filter(Boolean)
        .join(", ");
    case "output":
      return [step.write ?? "writes", step.title && `“${step.title}”`, step.action].filter(Boolean).join(" ");
    default:
      return fileStepText(step);
  }
}

function PolicyList({ policy }: { policy: Manifest["policy"] }): Html {
  const { approval, target, budget } = policy;
  const facts: [name: string, says: string][] = [
    [
      "Approval",
      approval.mode === "hold"
        ? "a person decides"
        : `lands by itself${approval.unless ? ` unless ${conditionText(approval.unless)}` : ""}`,
    ],
    ["Writes to", targetText(target)],
    ["Model", policy.model],
    ["Budget of a run", amountText(budget.run)],
    ["Budget of a day", amountText(budget.day)],
    ["A hold expires", `after ${span(policy.hold.expiresMs)}, which cancels the run`],
    ["Attempts again", String(policy.retries)],
    ["At once", String(policy.concurrency)],
    ...policy.guards.map(({ name, value }): [string, string] => [
      "Guard",
      value === null ? name : `${name} ${value}`,
    ]),
  ];
  return (
    <dl class="pairs">
      {facts.map(([name, says]) => (
        <div>
          <dt>{name}</dt>
          <dd>
            <Said text={says} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function targetText(target: Manifest["policy"]["target"]): string {
  if (target.kind === "new") return "a new memo";
  return target.kind === "memo" ? target.ref : `the memo that payload.${target.path} names, or a new one`;
}

const amountText = ({ tokens, usd }: { tokens: number | null; usd: number | null }): string =>
  [tokens !== null && `${count(tokens)} tokens`, usd !== null && `$${usd}`].filter(Boolean).join(", ") ||
  "no limit of its own";
