/** What `{{run.…}}` says of a moment: the start of a run, or the slot of a schedule. In UTC. */
export function momentValues(at: number): { startedAt: string; date: string; hour: string; isoWeek: string } {
  const iso = new Date(at).toISOString();
  return { startedAt: iso, date: iso.slice(0, 10), hour: iso.slice(0, 13), isoWeek: isoWeek(at) };
}

/** `2026-W05`: the ISO 8601 week, whose year is that of its Thursday. */
export function isoWeek(at: number): string {
  const day = new Date(at);
  const thursday = new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth(), day.getUTCDate()));
  thursday.setUTCDate(thursday.getUTCDate() + 4 - (thursday.getUTCDay() || 7));
  const yearStart = Date.UTC(thursday.getUTCFullYear(), 0, 1);
  const week = Math.ceil(((thursday.getTime() - yearStart) / 86_400_000 + 1) / 7);
  return `${thursday.getUTCFullYear()}-W${String(week).padStart(2, "0")}`;
}
