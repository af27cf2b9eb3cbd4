import { count, money } from "./format.tsx";
import type { HoldModel } from "./hold.tsx";
import type { Html } from "./shown.ts";

/** What a limit has stopped, and what it would take. */
export function Question({ model: { hold } }: { model: HoldModel }): Html {
  const question = hold.question;
  if (!question) return <></>;
  const amount = (value: number | null): string =>
    value === null
      ? "nobody can say"
      : question.unit === "tokens"
        ? `${count(value)} ${value === 1 ? "token" : "tokens"}`
        : money(value);
  return (
    <section class="sheet" aria-labelledby="question">
      <h2 id="question">May the step go over its limit, once?</h2>
      <p>
        The step <code>{question.stepId}</code> was not asked: it may take more than the {OF[question.of]} has
        left. What was done before it is kept.
      </p>
      <dl class="facts wrap">
        <div>
          <dt>Limit of the {OF[question.of]}</dt>
          <dd>{amount(question.limit)}</dd>
        </div>
        <div>
          <dt>Used of it</dt>
          <dd>{amount(question.spent)}</dd>
        </div>
        <div>
          <dt>The step may take</dt>
          <dd>{question.estimate === null ? "nobody can say" : `up to ${amount(question.estimate)}`}</dd>
        </div>
      </dl>
    </section>
  );
}

const OF = { run: "run", "workflow day": "workflow's day", "library day": "library's day" } as const;
