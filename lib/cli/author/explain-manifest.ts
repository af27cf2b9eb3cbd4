import { fileStepText } from "../../workflows/file-step-text.ts";
import type { Condition, Load, Manifest, Policy, ProcessStep, Step } from "../../workflows/manifest.ts";
import { count } from "../table.ts";

/** About how many tokens a text is: four bytes each, as the runner reckons. */
export const tokensOf = (text: string): number => Math.ceil(Buffer.byteLength(text, "utf8") / 4);

/** How many tokens a memo is, by its id; empty where no library was asked. */
export type Sizes = ReadonlyMap<string, number>;

/** A manifest in words: what the machine reads, what loads when, the order of each prompt, and the worst case. */
export function explainManifest(manifest: Manifest, sizes: Sizes = new Map()): string[] {
  return [
    `${manifest.title}  ${manifest.trigger.command}`,
    "",
    ...block("What the machine reads", machineReads(manifest)),
    ...block("What loads when", loadsWhen(manifest, sizes)),
    ...block(
      "What each step does",
      manifest.steps.map((step, index) => `${index + 1}. ${stepLine(step, manifest)}`),
    ),
    ...block(
      "What each prompt holds, in this order",
      manifest.steps.flatMap((step) => promptLines(step, manifest)),
    ),
    ...block("At worst", worstCase(manifest, sizes)),
    ...block("What happens with the result", landing(manifest)),
  ].slice(0, -1);
}

const block = (title: string, lines: readonly string[]): string[] => [
  title,
  ...lines.map((line) => `  ${line}`),
  "",
];

function machineReads({ trigger, manifestHash }: Manifest): string[] {
  const inputs = trigger.inputs.map(({ name, type, required, description, default: standard }) => {
    const optional = standard === undefined ? "may be left out" : `${JSON.stringify(standard)} when left out`;
    const need = required ? "must be sent" : optional;
    return `input     ${name}: ${type}, ${need}${description ? ` — ${description}` : ""}`;
  });
  return [
    `command   ${trigger.command}`,
    `status    ${trigger.status}: ${STATUS[trigger.status]}`,
    ...trigger.invoke.map((way) => `started   ${invokeLine(way)}`),
    ...inputs,
    `manifest  ${manifestHash}`,
  ];
}

const STATUS: Record<Manifest["trigger"]["status"], string> = {
  live: "it runs",
  paused: "items wait until it is live again",
  draft: "items wait until it is live",
  staged: "it runs, and writes nothing",
};

function invokeLine(way: Manifest["trigger"]["invoke"][number]): string {
  if (way.kind === "queue") return "by an item in its queue";
  if (way.kind === "command") return "by whoever sends the command";
  if (way.kind === "memo") return `by a memo that gains the tag ${way.tag}`;
  return `by the schedule ${way.expression}, in ${way.timeZone ?? "UTC"}`;
}

function loadsWhen({ load, steps }: Manifest, sizes: Sizes): string[] {
  const included = steps.flatMap((step) =>
    step.kind === "context" ? step.include.map((source) => `source   ${source}  read at ${step.id}`) : [],
  );
  const lines = [
    ...load.map((line) => `${line.id.padEnd(3)} ${loadLine(line, sizes)}`),
    ...included.map((line) => `    ${line}`),
  ];
  return lines.length > 0 ? lines : ["nothing"];
}

function loadLine(load: Load, sizes: Sizes): string {
  const why = load.why ? ` — ${load.why}` : "";
  switch (load.class) {
    case "gate":
      return `gate     [[${load.memo.ref}]]${sizeOf(load.memo.id, sizes)}  always, whole, before anything else${why}`;
    case "hook":
      return `hook     [[${load.memo.ref}]]${sizeOf(load.memo.id, sizes)}  whole, at ${load.at} only${why}`;
    case "trigger":
      return `trigger  [[${load.memo.ref}]]${sizeOf(load.memo.id, sizes)}  if ${conditionText(load.when)}${why}`;
    case "search": {
      const most = load.maxTokens === null ? "" : `, ${load.maxTokens} tokens`;
      const least = load.atLeast > 0 ? `; the run stops below ${load.atLeast}` : "";
      return `search   \`${[load.query, load.filter].filter(Boolean).join(" ")}\`  at ${load.at ?? "the start"}, up to ${count(load.top, "memo")}${most}${least}${why}`;
    }
  }
}

function sizeOf(memoId: string | null, sizes: Sizes): string {
  const tokens = memoId === null ? undefined : sizes.get(memoId);
  return tokens === undefined ? "" : ` (${tokens} tokens)`;
}

function conditionText({ path, operator, value, flags }: Condition): string {
  if (operator === "exists") return `${path} exists`;
  return operator === "matches"
    ? `${path} matches /${value ?? ""}/${flags ?? ""}`
    : `${path} ${operator} "${value ?? ""}"`;
}

function stepLine(step: Step, { policy }: Manifest): string {
  const base = `${step.kind.padEnd(8)} ${step.id}`;
  switch (step.kind) {
    case "trigger":
      return `${base}: checks the payload; no model, no cost`;
    case "context":
      return `${base}: loads; no model, no cost`;
    case "process":
      return `${base}: ${callsText(step)} to \`${step.model ?? policy.model}\`, returns ${step.returns}${step.schema ? " of a schema" : ""}${toolsText(step)}`;
    case "output":
      return `${base}: ${outputText(step)}${step.title ? `, titled \`${step.title}\`` : ""}`;
    default:
      return `${base}: ${fileStepText(step)}`;
  }
}

function outputText({ action, from }: Extract<Step, { kind: "output" }>): string {
  const judged = from ?? "the last process step";
  if (action === null) return `writes what ${judged} returned`;
  return `does \`${action}\` with what ${judged} returned, and writes what came of it`;
}

const toolsText = ({ tools }: ProcessStep): string =>
  tools.length > 0 ? `, may read with ${tools.join(", ")}` : "";

function callsText({ forEach, maxTurns }: ProcessStep): string {
  const turns = maxTurns > 1 ? `, up to ${maxTurns} turns` : "";
  return forEach
    ? `one call for each of \`${forEach.path}\`, ${forEach.max} at most${turns}`
    : `one call${turns}`;
}

/** The parts of one step's prompt in the order in which the model sees them. */
function promptLines(step: Step, manifest: Manifest): string[] {
  if (step.kind !== "process") return [];
  const of = (kind: Load["class"]) =>
    manifest.load.filter((load) => load.class === kind && (load.class !== "hook" || load.at === step.id));
  const names = (loads: readonly Load[]): string =>
    loads.map((load) => (load.class === "search" ? `\`${load.query}\`` : `[[${load.memo.ref}]]`)).join(", ");
  const before = manifest.steps.slice(0, manifest.steps.indexOf(step));
  const sources = before.flatMap((other) => (other.kind === "context" ? other.include : []));
  const earlier = [
    ...new Set([...step.refs.flatMap((ref) => /^steps\.([\w-]+)/.exec(ref)?.[1] ?? []), ...step.uses]),
  ];
  const searches = of("search").filter(
    (load) => load.class === "search" && isSeenAt(load.at, step, manifest),
  );
  const bound = searches.reduce(
    (sum, load) => sum + (load.class === "search" ? (load.maxTokens ?? 0) : 0),
    0,
  );
  const parts: [string, string][] = [
    ["gates", names(of("gate"))],
    ["instructions", `${tokensOf(step.instructions)} tokens`],
    ["schema", step.schema ? `${tokensOf(JSON.stringify(step.schema))} tokens` : ""],
    ["hooks", names(of("hook"))],
    ["triggers", names(of("trigger"))],
    [
      "search",
      searches.length > 0 ? `${names(searches)}${bound > 0 ? `, ${bound} tokens at most` : ""}` : "",
    ],
    ["sources", sources.map((source) => `\`${source}\``).join(", ")],
    ["payload", manifest.trigger.inputs.map(({ name }) => name).join(", ") || "as it was sent"],
    ["outputs of", earlier.join(", ")],
  ];
  return [
    step.id,
    ...parts.filter(([, what]) => what !== "").map(([name, what]) => `  ${name.padEnd(13)}${what}`),
  ];
}

function isSeenAt(at: string | null, step: ProcessStep, { steps }: Manifest): boolean {
  const named = steps.find(({ id }) => id === at);
  return at === null || at === step.id || named?.kind === "context";
}

function worstCase({ steps, policy, load }: Manifest, sizes: Sizes): string[] {
  const calls = steps
    .filter((step) => step.kind === "process")
    .reduce((sum, { forEach, maxTurns }) => sum + (forEach?.max ?? 1) * maxTurns, 0);
  const { run } = policy.budget;
  const day = policy.budget.day;
  const certain = load.filter((line) => line.class === "gate" || line.class === "hook");
  const tokens = certain.map(({ memo }) => (memo.id === null ? undefined : sizes.get(memo.id)));
  const isKnown = tokens.every((size) => size !== undefined);
  const guaranteed = isKnown
    ? `${tokens.reduce((sum, size) => sum + size, 0)} tokens`
    : "--online reads their sizes";
  return [
    `calls     ${calls}, and each failed one up to ${count(policy.retries, "more time")}`,
    `revision  up to ${count(policy.onChangesRequested.max, "time")}, when a person asks for changes`,
    `run       ${amount(run.tokens, run.usd) ?? "no limit"}`,
    `day       ${amount(day.tokens, day.usd) ?? "no limit"}`,
    `step      ${duration(policy.timeoutMs)}`,
    `loads     gates and hooks: ${guaranteed}`,
  ];
}

function amount(tokens: number | null, usd: number | null): string | undefined {
  const said = [tokens === null ? [] : [`${tokens} tokens`], usd === null ? [] : [`$${usd}`]].flat();
  return said.length > 0 ? said.join(", ") : undefined;
}

function landing({ policy, steps }: Manifest): string[] {
  const output = steps.find((step) => step.kind === "output");
  const tags = [...policy.tags, ...(output?.addTags ?? [])];
  const guards = policy.guards.map(({ name, value }) => (value ? `${name} ${value}` : name));
  return [
    `approval  ${approvalText(policy)}`,
    `written   ${targetText(policy)}${output?.write ? `, ${output.write}` : ""}, ${policy.visibility}`,
    ...(tags.length > 0 ? [`tags      ${tags.join(", ")}`] : []),
    `guards    ${guards.join(", ") || "none"}`,
    `expires   a hold after ${duration(policy.hold.expiresMs)}; the run is then cancelled`,
  ];
}

function approvalText({ approval, reviewers }: Policy): string {
  if (approval.mode === "hold") return `always held for ${reviewers.join(", ")}`;
  const unless = approval.unless ? `, unless ${conditionText(approval.unless)}` : "";
  return `lands by itself${unless}`;
}

function targetText({ destination, target }: Policy): string {
  if (target.kind === "new") return `to \`${destination}\`, a new one`;
  if (target.kind === "payload")
    return `to \`${destination}\`: the one of payload.${target.path}, or a new one when it is null`;
  return `to [[${target.ref}]]`;
}

const UNITS = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1000],
] as const;

function duration(ms: number): string {
  const [name, size] = UNITS.find(([, unit]) => ms >= unit && ms % unit === 0) ?? ["second", 1000];
  return count(ms / size, name);
}
