import { segment } from "../../client/client.ts";
import { print, type CommandLine } from "../command-line.ts";
import { EXIT, Failure, usage } from "../failure.ts";
import { flag, limitOption, listOption, operand, textOption } from "../options.ts";
import type { Given } from "../program.ts";
import { localTime, table } from "../table.ts";

type ShownKey = {
  keyId: string;
  label: string;
  kind: string;
  username: string;
  scopes: string[];
  createdAt: number;
  lastUsedAt: number | null;
  revokedAt: number | null;
};

/** Makes a key. It is printed once, alone on stdout: `mythos keys create … > file` keeps it out of sight. */
export async function createKey(cli: CommandLine, given: Given): Promise<void> {
  if (flag(given, "bootstrap")) return (await import("./first-key.ts")).createFirstKey(cli, given);
  const username = textOption(given, "username");
  const scopes = listOption(given, "scope");
  if (scopes.length === 0)
    throw usage("a key without a scope can do nothing", "Say --scope runs:read, and what else.");
  const body = {
    label: operand(given, 0),
    kind: textOption(given, "kind") ?? "agent",
    scopes,
    ...(username !== undefined && { username }),
  };
  const made = await cli.api("steward").post<ShownKey & { key: string | null }>("/api/keys", { body });
  if (made.key === null) throw new Failure(EXIT.failed, `${made.keyId} was made before; a key is shown once`);
  cli.terminal.say(`Made ${made.keyId} "${made.label}" for ${made.kind === "human" ? "you" : "an agent"}.`);
  cli.terminal.say("It is shown this once and stored nowhere:");
  print(cli, made, () => [made.key ?? ""]);
}

export async function listKeys(cli: CommandLine, given: Given): Promise<void> {
  const limit = limitOption(given, 100);
  const found = await cli.api("steward").list<ShownKey>(`/api/keys?limit=${Math.min(limit, 100)}`, limit);
  const items = found.toSorted((a, b) => b.createdAt - a.createdAt);
  print(cli, { items }, () => {
    const rows = items.map((key) => [
      key.keyId,
      key.label,
      key.kind,
      key.revokedAt === null ? usedAt(key.lastUsedAt) : `revoked ${localTime(key.revokedAt)}`,
      key.scopes.join(" "),
    ]);
    return rows.length === 0 ? ["No keys."] : table(rows, cli.terminal.width);
  });
}

const usedAt = (at: number | null): string => (at === null ? "never used" : `used ${localTime(at)}`);

/** Takes keys back; one that was taken back before stays as it is. */
export async function revokeKeys(cli: CommandLine, given: Given): Promise<void> {
  const query = flag(given, "self") ? "?self=1" : "";
  const items: ShownKey[] = [];
  for (const keyId of given.args) {
    items.push(await cli.api("steward").delete<ShownKey>(`/api/keys/${segment(keyId)}${query}`));
  }
  print(cli, { items }, () => items.map(({ keyId, label }) => `Revoked ${keyId} "${label}"`));
}
