import { Said, When } from "./format.tsx";
import { VERDICT_WORDS } from "./hold-words.ts";
import type { InboxModel } from "./inbox.tsx";
import type { Html, Shown } from "./shown.ts";

/** What an empty inbox says, and who has decided lately. */
export function Nothing({ model, shown }: { model: InboxModel; shown: Shown }): Html {
  const { state, workflow, lately } = model;
  return (
    <>
      <div class="empty">
        <p class="lead">
          {state === "snoozed" ? "Nothing is snoozed" : "Nothing is waiting for you"}
          {workflow !== null && (
            <>
              {" "}
              of <Said text={workflow.name} />
            </>
          )}
          .
        </p>
        <p>
          What agents draft waits here until somebody decides. <a href="/steward/passes">Passes</a> show what
          the rounds have done, <a href="/steward/workflows">workflows</a> what may be asked for.
        </p>
      </div>
      {lately.length > 0 && (
        <section class="sheet" aria-labelledby="lately">
          <h2 id="lately">Decided lately</h2>
          <ul class="history">
            {lately.map(({ holdId, verdict, username, at, title }) => (
              <li>
                <Said text={username} /> {VERDICT_WORDS[verdict] ?? verdict}{" "}
                <a href={`/steward/holds/${holdId}`}>
                  <Said text={title ?? "a hold"} />
                </a>{" "}
                <span class="quiet">
                  <When at={at} now={shown.at} />
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}
