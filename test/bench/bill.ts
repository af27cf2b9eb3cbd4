/*
 * What a month costs, from what a run and an idle tick use and from list prices; README.md shows the same table, and a
 * test compares them.
 *
 *   node test/bench/bill.ts
 */

/** List prices of us-east-1 in dollars, without any free tier, looked up on this day. */
export const PRICED_ON = "2026-11-30";
const MILLION = 1_000_000;
const PRICE = {
  /** DynamoDB on demand, by unit. https://aws.amazon.com/dynamodb/pricing/on-demand/ */
  write: 0.625 / MILLION,
  read: 0.125 / MILLION,
  /** A GB-month of rows and of their recovery in time. */
  stored: 0.25 + 0.2,
  /** https://aws.amazon.com/sqs/pricing/ */
  sqs: 0.4 / MILLION,
  /** Lambda on arm64. https://aws.amazon.com/lambda/pricing/ */
  invocation: 0.2 / MILLION,
  gbSecond: 0.0000133334,
  /** https://aws.amazon.com/api-gateway/pricing/ */
  request: 1 / MILLION,
  /** https://aws.amazon.com/cloudwatch/pricing/ */
  metric: 0.3,
  alarm: 0.1,
  logGb: 0.5,
  /** https://aws.amazon.com/step-functions/pricing/, a transition. */
  transition: 25 / MILLION,
  /** https://docs.temporal.io/cloud/pricing: an action, and a tenth more for the plan. */
  action: (50 / MILLION) * 1.1,
};

/** A run of four steps with one hold, as `npm run bench:cost` measures it; a send is received and deleted too. */
export const RUN = { writes: 50, reads: 25.5, sqs: 3 * 3, invocations: 9, requests: 3 };
/** Three requests with their authorizer, a pass and two tickets: seconds × GB without the wait for a model: an assumption, until a deployment says better. */
const RUN_GB_SECONDS = 0.6;
/** The runner has 1 GB and waits for its model; 20 s is an assumption, and the largest part. */
const MODEL_SECONDS = 20;
const RUN_LOG_GB = 6 / MILLION;

const DAYS = 30;
const TICKS = 12 * 24 * DAYS;
/** A tick of the three rules: at most 4 read units; 0.15 s with 0.25, 0.5 and 0.5 GB. */
const TICK = { reads: 4, invocations: 3, gbSeconds: 0.15 * 1.25, logGb: 3.6 / MILLION };
/** Lambda keeps up to five long polls of 20 s open at each of the two queues, also when nothing comes. */
const POLLS = 2 * 5 * 3 * 60 * 24 * DAYS;
/** Metrics that an idle deployment emits, those that work adds, and metrics that alarms watch. */
export const WATCHED = { idleMetrics: 9, busyMetrics: 7, alarmed: 16 };
const STORED_GB = 1;

export type Bill = {
  tables: number;
  queues: number;
  functions: number;
  waiting: number;
  watching: number;
  total: number;
};

/** A month with so many runs a day, each with a hold. */
export function billOf(runsPerDay: number): Bill {
  const runs = runsPerDay * DAYS;
  const tables =
    runs * (RUN.writes * PRICE.write + RUN.reads * PRICE.read) +
    TICKS * TICK.reads * PRICE.read +
    STORED_GB * PRICE.stored;
  const queues = (POLLS + runs * RUN.sqs) * PRICE.sqs;
  const functions =
    TICKS * (TICK.invocations * PRICE.invocation + TICK.gbSeconds * PRICE.gbSecond) +
    runs *
      (RUN.invocations * PRICE.invocation + RUN_GB_SECONDS * PRICE.gbSecond + RUN.requests * PRICE.request);
  const waiting = runs * MODEL_SECONDS * PRICE.gbSecond;
  const watching =
    (WATCHED.idleMetrics + (runs > 0 ? WATCHED.busyMetrics : 0)) * PRICE.metric +
    WATCHED.alarmed * PRICE.alarm +
    (TICKS * TICK.logGb + runs * RUN_LOG_GB) * PRICE.logGb;
  return {
    tables,
    queues,
    functions,
    waiting,
    watching,
    total: tables + queues + functions + waiting + watching,
  };
}

/** What a million runs cost in tables and queues alone: what other engines ask for the same. */
export const orchestrationPerMillion = ({ writes, reads, sqs } = RUN): number =>
  MILLION * (writes * PRICE.write + reads * PRICE.read + sqs * PRICE.sqs);

/** Eight transitions: four steps, the hold with its token and its choice, start and end. */
const STEP_FUNCTIONS = MILLION * 8 * PRICE.transition;
/** As the project's figures have it; its list price was not to be found again. */
const DURABLE_FUNCTIONS = 56;
/** Seven actions: start, four activities, a signal, a timer. */
const HOSTED = MILLION * 7 * PRICE.action;

const COLUMNS = [0, 100, 1000];
const usd = (value: number): string => value.toFixed(2);

/** The table as README.md has it. */
export function billTable(): string {
  const bills = COLUMNS.map(billOf);
  const row = (title: string, of: keyof Bill) =>
    `| ${title} | ${bills.map((bill) => usd(bill[of])).join(" | ")} |`;
  const others = (title: string, perMillion: number) =>
    `| ${title} | ${COLUMNS.map((runs) => usd((runs * DAYS * perMillion) / MILLION)).join(" | ")} |`;
  return [
    "| USD a month | idle | 100 runs a day | 1,000 runs a day |",
    "|---|---|---|---|",
    row("tables: units, 1 GB and its recovery", "tables"),
    row("queues: polls and doorbells", "queues"),
    row("functions and API", "functions"),
    row("the runner waiting 20 s for a model", "waiting"),
    row("metrics, alarms, logs", "watching"),
    row("**all**", "total"),
    others("of it orchestration (units and doorbells of runs)", orchestrationPerMillion()),
    others("Step Functions Standard for that", STEP_FUNCTIONS),
    others("Lambda durable functions for that", DURABLE_FUNCTIONS),
    others("a hosted engine (Temporal Cloud) for that", HOSTED),
  ].join("\n");
}

if (process.argv[1] === import.meta.filename) {
  process.stdout.write(
    `${billTable()}\n\norchestration of a million runs: ${usd(orchestrationPerMillion())} USD (target 40)\n`,
  );
}
