import { NewKey, OneLine } from "../../api-keys/manage.ts";
import { mintKey } from "../../api-keys/keys.ts";
import type { ShownKey } from "../../api-keys/key-record.ts";
import { peppersOf } from "../../api-keys/pepper.ts";
import type { KeyPlace } from "../../api-keys/store.ts";
import type { Clock } from "../../core/clock.ts";
import { randomIds, randomSecret, type Ids } from "../../core/ids.ts";
import { SCOPES, type Scope } from "../../core/principal.ts";
import type { AwsKeys, KeysOfTable } from "../aws-adapter.ts";
import { print, type CommandLine } from "../command-line.ts";
import { EXIT, Failure, usage } from "../failure.ts";
import { listOption, operand, textOption } from "../options.ts";
import type { Given } from "../program.ts";
import { AWS_TARGET } from "../target.ts";
import { stageOf } from "./deploy.ts";

/** As the construct of the table is pinned. */
export const CONTROL_TABLE = "ControlTable";

/** As `jwtOwnerUid` takes it: `#` divides in a lane's key. */
const OWNER_FORM = /^[\w.@:|-]{1,128}$/;

const PAGE = 100;

export type FirstKey = {
  stage: string;
  pepperParameter: string;
  ownerUid: string;
  username: string;
  label: string;
  scopes: readonly Scope[];
  /** The owner may have keys already. */
  isOneMore: boolean;
};

/**
 * Makes a person's key on a deployed stack, where no key is known yet that could ask for one. Whoever runs it reads
 * the pepper and writes the table with credentials of the account: it gives nobody anything they could not take.
 */
export async function createFirstKey(cli: CommandLine, given: Given): Promise<void> {
  if (cli.env.target !== AWS_TARGET) {
    throw usage("--bootstrap is for a deployed stack", "Say --target aws; a local host makes its own keys.");
  }
  const input = firstKeyOf(cli, given);
  const { openAwsKeys } = await import("../aws-adapter.ts");
  const say = (line: string) => cli.terminal.say(cli.terminal.tones.bold(cli.terminal.tones.magenta(line)));
  const deps = { aws: openAwsKeys(), clock: cli.clock, ids: randomIds, secret: randomSecret, say };
  const { key, record } = await mintFirstKey(deps, input);
  cli.terminal.say(`Made ${record.keyId} "${record.label}" for ${record.username}, of ${record.ownerUid}.`);
  cli.terminal.say("It is shown this once and stored nowhere:");
  print(cli, { ...record, key }, () => [key]);
}

function firstKeyOf(cli: CommandLine, given: Given): FirstKey {
  const stage = stageOf(given);
  const ownerUid = textOption(given, "owner") ?? "owner";
  if (!OWNER_FORM.test(ownerUid)) {
    throw usage(`--owner is "${ownerUid}"; expected 1 to 128 letters, digits or any of _ . @ : | -`);
  }
  const kind = textOption(given, "kind") ?? "human";
  if (kind !== "human") {
    throw usage(
      "the first key is a person's",
      "Make an agent's with it: mythos keys create, without --bootstrap.",
    );
  }
  const asked = listOption(given, "scope");
  const scopes = asked.length > 0 ? asked : [...SCOPES];
  const parsed = NewKey.safeParse({ label: operand(given, 0), kind, scopes });
  const username = OneLine.safeParse(textOption(given, "username") ?? ownerUid);
  if (!parsed.success || !username.success) {
    const [issue] = (parsed.error ?? username.error)?.issues ?? [];
    const place = parsed.success ? "--username" : String(issue?.path[0] ?? "the key");
    throw usage(`${place}: ${issue?.message ?? "is not understood"}`);
  }
  return {
    stage,
    pepperParameter: textOption(given, "pepperParameter") ?? `/mythos/${stage}/key-pepper`,
    ownerUid,
    username: username.data,
    label: parsed.data.label,
    scopes: SCOPES.filter((scope) => parsed.data.scopes.includes(scope)),
    isOneMore: cli.yes,
  };
}

/** @throws {Failure} for a stack, a pepper or a right that is missing, and where the owner has a good key */
export async function mintFirstKey(
  deps: { aws: AwsKeys; clock: Clock; ids: Ids; secret: () => string; say: (line: string) => void },
  input: FirstKey,
): Promise<{ key: string; record: ShownKey }> {
  const { aws } = deps;
  const { stage, pepperParameter, ownerUid } = input;
  const account = await told("AWS does not know who this is", () => aws.account());
  const stack = `mythos-${stage}-data`;
  const table = await told(`${stack} cannot be looked at`, () => aws.table(stack, CONTROL_TABLE));
  if (table === undefined) throw missing(`${stack} is not there`, `npx mythos deploy --stage ${stage}`);
  const pepper = await told(`${pepperParameter} cannot be read`, () => aws.secret(pepperParameter));
  if (!pepper) throw missing(`${pepperParameter} is not there`, "npx mythos doctor --target aws");
  const keys = aws.keys(table);
  const known = await told(`${table} cannot be read`, () => goodKeyOf(keys, ownerUid));
  if (known && !input.isOneMore) {
    throw new Failure(
      EXIT.conflict,
      `${ownerUid} has a key already: ${known.keyId} "${known.label}"`,
      "Make more with it, or say --yes to make one beside it.",
    );
  }
  deps.say(`account ${account}, stage ${stage}, table ${table}`);
  return told(`${table} cannot be written`, () =>
    mintKey({ ...deps, keys, peppers: peppersOf(pepper) }, { ...input, uid: ownerUid, kind: "human" }),
  );
}

/** Some key of the owner that is not revoked. */
async function goodKeyOf(keys: KeysOfTable, ownerUid: string): Promise<ShownKey | undefined> {
  let after: KeyPlace | null = null;
  do {
    const page: Awaited<ReturnType<KeysOfTable["keysOf"]>> = await keys.keysOf(ownerUid, {
      limit: PAGE,
      after,
    });
    const good = page.items.find(({ revokedAt }) => revokedAt === null);
    if (good) return good;
    after = page.next;
  } while (after);
  return undefined;
}

const missing = (what: string, fix: string): Failure => new Failure(EXIT.notFound, what, `First: ${fix}`);

/** What AWS refused, without its own text, which may name more than a shell's history should hold. */
async function told<T>(what: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    throw new Failure(EXIT.failed, `${what} (${cause instanceof Error ? cause.name : typeof cause})`);
  }
}
