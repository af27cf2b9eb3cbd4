/** What a report says, read from its Markdown: the table's cells but for the prose, and the numbers. */
export function reportFacts(markdown: string) {
  const lines = markdown.split("\n");
  const table = lines.filter((line) => line.startsWith("| ")).map(cellsOf);
  const [columns, , ...body] = table;
  const found = (pattern: RegExp) => pattern.exec(markdown)?.slice(1);
  const said = found(/Judged by: jev (\d+), agent (\d+)(?: \((\d+) where)?/);
  const verdicts = found(/Verdicts: (.*)\./)?.[0];
  const memory = found(/Memory: (\d+) sessions remembered(?:, (\d+) verdicts served)?/);
  const [freed, held] = found(/RAM freed: (.*?)\. RAM still held: (.*?)\./) ?? [];
  const candidates = found(/Candidates: (\d+) close, (\d+) stuck, (\d+) judge(?: \(\+ (\d+) not)?/);
  return {
    mode: /^# .*dry run$/m.test(markdown) ? "dry-run" : "apply",
    dryRunBanner: markdown.includes("**Dry run:**"),
    columns,
    rows: body.map(([planClass, session, origin, idle, ram, verdict, confidence]) => ({
      class: planClass,
      session,
      origin,
      idle,
      ram,
      verdict,
      confidence,
    })),
    candidates: candidates?.map((count) => count ?? null),
    verdictCounts: verdicts?.replaceAll(", ", ",").replaceAll(" ", "=").replaceAll(",", " ") ?? null,
    judgedBy: said?.map((count) => count ?? null) ?? null,
    freed,
    held,
    zeroLine: markdown.includes("Nothing to decide"),
    saturation: markdown.includes("**Saturated:**"),
    proposalsSection: markdown.includes("## Proposals"),
    nudges: countAfter(lines, "A person may send these"),
    observed: countAfter(lines, "Only seen"),
    relabelLines: lines.filter((line) => line.startsWith("- proposed ")).length,
    memoryLine: memory?.filter((count) => count !== undefined) ?? [],
  };
}

/** A bar with a backslash before it is of the cell. */
const cellsOf = (line: string): string[] =>
  line
    .slice(2, -2)
    .split(/(?<!\\) \| /)
    .map((cell) => cell);

function countAfter(lines: readonly string[], title: string): number {
  const at = lines.findIndex((line) => line.startsWith(title));
  if (at < 0) return 0;
  const following = lines.slice(at + 2);
  const end = following.findIndex((line) => !line.startsWith("- "));
  return end < 0 ? following.length : end;
}
