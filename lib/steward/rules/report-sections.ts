import { saturationHeader, type HostProcess, type QueuePressure } from "./host.ts";
import { filled, finite, list, record } from "./reading.ts";
import { inlineText, megabytes } from "./report-text.ts";
import type { VerdictRow } from "./verdicts.ts";

/** What is shown of the ended sessions without a verdict; the rest is counted. */
const RELABEL_SHOWN = 20;

/** What a saturated host, or queue, has to be told of, before anything else; nothing where it is not. */
export function hostLines(load: unknown): string[] {
  const pressure = record(load).pressure as QueuePressure | undefined;
  const { shown, reasons, orphans, others, warnings } = saturationHeader(load, pressure);
  if (!shown) return [];
  return [
    `**Saturated:** ${inlineText(reasons.join("; "))}.`,
    ...listed("Processes whose owner is gone:", orphans.map(processText)),
    ...listed("Processes of others:", others.map(processText)),
    ...listed("Warnings:", warnings.map(warningText)),
  ];
}

const listed = (title: string, items: readonly string[]): string[] =>
  items.length === 0 ? [] : ["", title, "", ...items.map((item) => `- ${item}`)];

// An item begins with a word of ours: a rule or a number at its beginning would be more than text.
const warningText = (warning: string): string => `warning: ${inlineText(warning)}`;

function processText({ pid, command, memoryBytes, elapsedSec }: HostProcess): string {
  const size = finite(memoryBytes);
  const age = finite(elapsedSec);
  const facts = [
    ...(size === undefined ? [] : [megabytes(size)]),
    ...(age === undefined ? [] : [`${Math.round(age / 60)} min`]),
  ];
  return `process ${pid}: ${inlineText(String(command ?? "?"), 120)}${facts.length > 0 ? ` (${facts.join(", ")})` : ""}`;
}

/** What a person may say to a session that repeats itself or stands still. */
export function proposalLines(found: unknown): string[] {
  const proposed = list(record(found).proposals).map(record);
  const observed = list(record(found).observed).map(record);
  if (proposed.length + observed.length === 0) return [];
  return [
    "## Proposals",
    ...listed("A person may send these; nothing was sent.", proposed.map(proposalText)),
    ...listed("Only seen, in sessions of persons.", observed.map(proposalText)),
  ];
}

const proposalText = ({ kind, sessionId, cause, reason }: Record<string, unknown>): string => {
  const why = filled(reason) ?? String(cause);
  return `${inlineText(String(kind))} ${inlineText(String(sessionId), 200)}: ${inlineText(why)}`;
};

/** The ended sessions without a verdict, the newest first, each with the one that is proposed. */
export function relabelLines(queue: unknown): string[] {
  const rows = list(queue).map(record);
  if (rows.length === 0) return [];
  const shown = rows.slice(0, RELABEL_SHOWN);
  const rest = rows.length - shown.length;
  return [
    "## Ended without a verdict",
    "",
    ...shown.map(({ proposedVerdict, label, sessionId, code, prs }) => {
      const numbers = list(prs).length > 0 ? `, pull requests ${list(prs).map(String).join(", ")}` : "";
      const name = filled(label) ?? String(sessionId);
      const why = typeof code === "string" ? ` (${inlineText(`${code}${numbers}`)})` : "";
      return `- proposed ${inlineText(String(proposedVerdict))}: ${inlineText(name, 120)}${why}`;
    }),
    ...(rest > 0 ? [`- and ${rest} more`] : []),
  ];
}

/** How much is remembered, and how often it answered for a judge. */
export function memoryLines(settings: unknown, memory: unknown, verdicts: readonly VerdictRow[]): string[] {
  if (record(settings).appId === "") return ["Memory is off."];
  if (memory === undefined || memory === null) return [];
  // A list of entries is a map that went over JSON.
  const size =
    memory instanceof Map ? memory.size : Object.keys(Array.isArray(memory) ? memory : record(memory)).length;
  if (size === 0) return [];
  const served = verdicts.filter(({ source }) => source === "cache").length;
  return [`Memory: ${size} sessions remembered${served > 0 ? `, ${served} verdicts served from it` : ""}.`];
}
