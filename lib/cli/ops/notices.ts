import type { ShownNotice } from "../../client/answers.ts";
import { segment } from "../../client/client.ts";
import { print, type CommandLine } from "../command-line.ts";
import { limitOption, listOption, textOption } from "../options.ts";
import type { Given } from "../program.ts";
import { localTime, shortTime, table } from "../table.ts";

/** What there is to know; with `--read` those that are named are marked as read. */
export async function notices(cli: CommandLine, given: Given): Promise<void> {
  const read = listOption(given, "read");
  if (read.length > 0) return markRead(cli, read);
  const limit = limitOption(given, 25);
  const state = textOption(given, "state") ?? "unread";
  const path = `/api/notices?state=${segment(state)}&limit=${Math.min(limit, 100)}`;
  const items = await cli.api("steward").list<ShownNotice>(path, limit);
  const now = cli.clock.now();
  print(cli, { items }, () => {
    if (items.length === 0) return [state === "unread" ? "Nothing new." : "No notices."];
    const rows = items.map((notice) => [
      localTime(notice.at),
      notice.readAt === null ? "new" : "",
      textOf(notice, now),
      notice.holdId ?? notice.runId,
      notice.noticeId,
    ]);
    return table(rows, cli.terminal.width);
  });
}

/** One that was read before stays as it is. */
async function markRead(cli: CommandLine, noticeIds: readonly string[]): Promise<void> {
  const api = cli.api("steward");
  const items: ShownNotice[] = [];
  for (const noticeId of noticeIds) {
    items.push(await api.post<ShownNotice>(`/api/notices/${segment(noticeId)}/read`));
  }
  print(cli, { items }, () => items.map(({ noticeId }) => `Read ${noticeId}`));
}

/** What a notice says; of a hold that lapsed that nobody decided it. */
function textOf({ kind, title, percent, expiresAt, error }: ShownNotice, now: number): string {
  const what = title ?? "a workflow";
  if (kind === "run_failed") return `${what} failed: ${error?.message ?? "no reason"}`;
  if (kind === "hold_expired") return `${what}: the hold expired undecided, and its run was cancelled`;
  const left = expiresAt === undefined || expiresAt <= now ? "" : `; ${shortTime(expiresAt - now)} left`;
  return `${what} still waits for you: ${percent ?? 0}% of its time is over${left}`;
}
