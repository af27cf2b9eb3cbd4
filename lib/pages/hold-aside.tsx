import type { Child } from "hono/jsx";
import { count, money, Said, span, Status, When } from "./format.tsx";
import type { HoldModel } from "./hold.tsx";
import type { Html, Shown } from "./shown.ts";

/** From the session to the bytes: who asked, what ran, what was read, what it cost, what looked at it. */
export function ComesFrom({ model, shown }: { model: HoldModel; shown: Shown }): Html {
  const { hold, session, steps, loads, workflow } = model;
  const { run } = hold;
  const models = [...new Set(steps.flatMap(({ model: name }) => name ?? []))];
  const read = loads.filter(({ loaded }) => loaded);
  const guards = hold.proposal?.guards ?? [];
  return (
    <aside class="sheet origin" aria-labelledby="origin">
      <h2 id="origin">Where it came from</h2>
      <dl class="fields">
        <Fact name="Asked by">
          <Said text={run.requestedBy.username} />
          <span class="quiet">
            , {run.requestedBy.kind}, <When at={run.createdAt} now={shown.at} />
          </span>
        </Fact>
        {session && (
          <Fact name="Session">
            <a href={`/steward/sessions/${session.sessionId}`}>
              <Said text={session.name ?? session.sessionId} />
            </a>
          </Fact>
        )}
        <Fact name="Workflow">
          <a href={`/steward/workflows/${run.workflowId}`}>
            <Said text={workflow} />
          </a>
          {model.manifestDrift && <span class="quiet"> – changed since this run began</span>}
        </Fact>
        <Fact name="Item">
          <code>
            <Said text={model.itemKey} />
          </code>
        </Fact>
        <Fact name="Run">
          <a href={`/steward/runs/${run.runId}`}>
            <code>{run.runId}</code>
          </a>
        </Fact>
        <Fact name="Steps">
          <ol class="steps">
            {steps.map(({ id, status, ms }) => (
              <li>
                <code>{id}</code> <Status of={status} />
                {ms !== null && ms > 0 && <span class="quiet"> {span(ms)}</span>}
              </li>
            ))}
          </ol>
        </Fact>
        <Fact name="Read">
          {read.length === 0 ? (
            "nothing"
          ) : (
            <a href={`/steward/holds/${hold.holdId}?view=loaded`}>
              {count(read.length)} {read.length === 1 ? "text" : "texts"}
            </a>
          )}
        </Fact>
        <Fact name="Model">{models.length === 0 ? "none" : models.join(", ")}</Fact>
        <Fact name="Tokens">{count(run.tokens)}</Fact>
        <Fact name="Cost">{money(run.costMicroUsd)}</Fact>
        {guards.length > 0 && (
          <Fact name="Guards">
            <ul class="steps">
              {guards.map(({ guard, passed, message }) => (
                <li>
                  <code>{guard}</code> <Status of={passed ? "ok" : "failed"} />{" "}
                  <span class="quiet">
                    <Said text={message} />
                  </span>
                </li>
              ))}
            </ul>
          </Fact>
        )}
        {model.manifestHash && (
          <Fact name="Manifest">
            <Sha of={model.manifestHash} />
          </Fact>
        )}
        <Fact name={hold.proposal ? "Proposal, frozen" : "Question, frozen"}>
          <Sha of={hold.sha256} />
        </Fact>
      </dl>
    </aside>
  );
}

const Fact = ({ name, children }: { name: string; children: Child }): Html => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

const Sha = ({ of }: { of: string }): Html => (
  <code title={of}>{of.replace("sha256:", "").slice(0, 16)}…</code>
);
