import { count, money, Said, span, When } from "./format.tsx";
import type { RunModel } from "./run.tsx";
import { HOLD_KINDS, meaningOf, MemoLink, RunLink } from "./runs-words.tsx";
import { Fact } from "./session-facts.tsx";
import type { Html, Shown } from "./shown.ts";

/** In one sentence: what it waits for, why it ended, or what came of it. */
export function WhyNote({ model, shown }: { model: RunModel; shown: Shown }): Html {
  const { run, landedTitle } = model;
  if (run.holdId !== null && run.hold) {
    return (
      <p class="note warn">
        It waits with <a href={`/steward/holds/${run.holdId}`}>{HOLD_KINDS[run.holdKind ?? "output"]}</a>
        {run.hold.decision
          ? ` and was decided; it goes on within minutes.`
          : run.hold.expiresAt > shown.at
            ? ` for a decision. Without one it ends as cancelled in ${span(run.hold.expiresAt - shown.at)}.`
            : " whose time is over; it ends as cancelled with the next round."}
      </p>
    );
  }
  if (run.error && run.error.code !== "cancelled") {
    const meaning = meaningOf(run.error.code);
    return (
      <div class="note bad">
        <p>
          <strong>{meaning?.title ?? "It failed"}</strong> <code>{run.error.code}</code>
        </p>
        <p>
          <Said text={run.error.message} />
        </p>
        <p>{meaning?.hint ?? run.error.hint}</p>
      </div>
    );
  }
  if (run.error) {
    return (
      <p class="note">
        It was <Said text={run.error.message} />
        {run.hold?.decision && (
          <>
            : “{run.hold.decision.verdict.replaceAll("_", " ")}” of{" "}
            <a href={`/steward/holds/${run.hold.holdId}`}>its hold</a>
          </>
        )}
        {run.hold?.decision?.reason && (
          <>
            , because: <Said text={run.hold.decision.reason} />
          </>
        )}
        .
      </p>
    );
  }
  if (run.landing) {
    return (
      <p class="note good">
        It landed in <MemoLink memoId={run.landing.memoId} title={landedTitle} />, version{" "}
        {count(run.landing.contentVersion)}.
      </p>
    );
  }
  if (run.staged)
    return <p class="note">The workflow is staged: what it would have written is kept below.</p>;
  if (run.status === "running") {
    return (
      <p class="note">
        It is at work; its runner showed itself <When at={run.heartbeatAt} now={shown.at} />.
      </p>
    );
  }
  return <></>;
}

/** The rest of what is known of it. */
export function RunFacts({ model, shown }: { model: RunModel; shown: Shown }): Html {
  const { run, item } = model;
  return (
    <section class="sheet" aria-label="Facts">
      <dl class="pairs">
        <Fact says="Asked by">
          <Said text={run.requestedBy.username} />
          {run.sessionId !== null && (
            <>
              {" "}
              in <a href={`/steward/sessions/${encodeURIComponent(run.sessionId)}`}>a session</a>
            </>
          )}
        </Fact>
        {item && (
          <Fact says="Asked for">
            <When at={item.enqueuedAt} now={shown.at} />, and waited {span(run.createdAt - item.enqueuedAt)}{" "}
            in the queue
          </Fact>
        )}
        <Fact says="Began">
          <When at={run.createdAt} now={shown.at} />
        </Fact>
        {run.settledAt !== null && (
          <Fact says="Ended">
            <When at={run.settledAt} now={shown.at} />
          </Fact>
        )}
        <Fact says="Used">
          {count(run.tokens)} tokens in {count(run.calls)} {run.calls === 1 ? "call" : "calls"},{" "}
          {run.costMicroUsd === null ? "without a price" : money(run.costMicroUsd)}
        </Fact>
        {run.revision > 1 && <Fact says="Revision">{count(run.revision)}</Fact>}
        {run.recoveries > 0 && (
          <Fact says="Recovered">{count(run.recoveries)} times, after it went quiet</Fact>
        )}
        {run.hops > 0 && <Fact says="Continued">{count(run.hops)} times by another runner</Fact>}
        {run.forkOf && (
          <Fact says="Fork of">
            <RunLink runId={run.forkOf.runId} says="another run" />, from step <code>{run.forkOf.step}</code>{" "}
            on
          </Fact>
        )}
        <Fact says="Workflow">
          <a href={`/steward/workflows/${run.workflowId}`}>
            <Said text={model.workflow} />
          </a>
          {run.manifestDrift && " – changed since this run began; the run keeps what it began with"}
          {run.manifestDrift === false && ", unchanged since"}
        </Fact>
        {run.manifestHash !== null && (
          <Fact says="Manifest">
            <code>{run.manifestHash.slice(0, 19)}…</code>
          </Fact>
        )}
        <Fact says="Id">
          <code>{run.runId}</code>
        </Fact>
      </dl>
    </section>
  );
}
