import { statSync } from "node:fs";
import { join } from "node:path";
import type { ShownWorkflow } from "../../client/answers.ts";
import { createClient } from "../../client/client.ts";
import { print, type CommandLine } from "../command-line.ts";
import { dataFolderOf, readLocalKeys, readText, urlOf } from "../connection.ts";
import { EXIT, Failure, type ExitCode } from "../failure.ts";

/** `warn` works and deserves a look; `fail` does not work. */
type Finding = { check: string; state: "ok" | "warn" | "fail"; found: string; fix?: string };

/** Checks what a first hour needs; 1 when something does not work. Nothing is changed. */
export async function doctor(cli: CommandLine): Promise<ExitCode> {
  const findings = [nodeVersion(), ...secrets(cli), configuration(cli), ...(await host(cli))];
  const { colours } = cli.terminal;
  const marks = { ok: colours.green("✓"), warn: colours.yellow("!"), fail: colours.red("✗") };
  print(cli, { findings }, () =>
    findings.flatMap(({ check, state, found, fix }) => [
      `${marks[state]} ${check.padEnd(10)} ${found}`,
      ...(fix ? [`  ${" ".repeat(10)} → ${fix}`] : []),
    ]),
  );
  return findings.some(({ state }) => state === "fail") ? EXIT.failed : EXIT.ok;
}

function nodeVersion(): Finding {
  const { node } = process.versions;
  const major = Number(node.split(".")[0]);
  if (major >= 24) return { check: "node", state: "ok", found: node };
  if (major >= 22)
    return { check: "node", state: "warn", found: node, fix: "Node 24 is what the functions run on." };
  return {
    check: "node",
    state: "fail",
    found: node,
    fix: "npm ci with optional dependencies brings Node 24.",
  };
}

/** The folder holds keys: nobody else may read it. */
function secrets(cli: CommandLine): Finding[] {
  if (cli.env.url) return [];
  const folder = dataFolderOf(cli.env);
  const found: Finding[] = [];
  for (const [path, allowed] of [
    [folder, 0o700],
    [join(folder, "keys.json"), 0o600],
  ] as const) {
    const mode = modeOf(path);
    if (mode === undefined) {
      found.push({
        check: "data",
        state: "warn",
        found: `${path} is not there yet`,
        fix: "npm start makes it.",
      });
      break;
    }
    const isOpen = process.platform !== "win32" && (mode & ~allowed & 0o777) !== 0;
    found.push(
      isOpen
        ? {
            check: "data",
            state: "warn",
            found: `${path} can be read by others`,
            fix: `chmod ${allowed.toString(8)} ${path}`,
          }
        : { check: "data", state: "ok", found: path },
    );
  }
  return found;
}

function modeOf(path: string): number | undefined {
  try {
    return statSync(path).mode;
  } catch {
    return undefined;
  }
}

type Config = {
  models?: Record<string, { provider?: string; model?: string; price?: unknown }>;
  prices?: Record<string, unknown>;
};

/** Models without a price: dollar budgets refuse to compile with them, and costs are not shown. */
function configuration(cli: CommandLine): Finding {
  const path = join(dataFolderOf(cli.env), "config.json");
  const text = readText(path);
  if (text === undefined) {
    return { check: "models", state: "ok", found: "no config.json: the offline writer answers every alias" };
  }
  let config: Config;
  try {
    config = JSON.parse(text) as Config;
  } catch (error) {
    const why = error instanceof Error ? error.message : "";
    return {
      check: "models",
      state: "fail",
      found: `${path} is not JSON: ${why}`,
      fix: "Mend it, then start the host again.",
    };
  }
  const models = Object.entries(config.models ?? {});
  const priceless = models
    .filter(
      ([, { provider, model = "", price }]) =>
        provider !== "offline" && price === undefined && !config.prices?.[model],
    )
    .map(([alias]) => alias);
  const found = models
    .map(([alias, { provider = "?", model = "" }]) => `${alias} = ${provider} ${model}`.trim())
    .join(", ");
  if (priceless.length === 0) return { check: "models", state: "ok", found: found || "none" };
  return {
    check: "models",
    state: "warn",
    found,
    fix: `No price for ${priceless.join(", ")}: set one, or "price": "free".`,
  };
}

/** The host's clock and ours may differ by this; more and expiry times would mislead. */
const MAX_SKEW_MS = 5000;

async function host(cli: CommandLine): Promise<Finding[]> {
  let url: string;
  try {
    url = urlOf(cli.env);
  } catch (error) {
    const { message, hint } = error as Failure;
    return [{ check: "host", state: "fail", found: message, ...(hint && { fix: hint }) }];
  }
  const health = await createClient({ url, key: "" }).call<{ version: string }>("GET", "/healthz");
  if (!health.ok) {
    return [
      {
        check: "host",
        state: "fail",
        found: `${url}: ${health.problem.detail}`,
        fix: "Start it with npm start.",
      },
    ];
  }
  const { version } = health.value;
  const isSame = version === cli.version;
  return [
    {
      check: "host",
      state: isSame ? "ok" : "warn",
      found: `${url} runs ${version}`,
      ...(!isSame && { fix: `This command line is ${cli.version}.` }),
    },
    await clockSkew(cli, url),
    ...(await keys(cli, url)),
  ];
}

async function clockSkew({ clock }: CommandLine, url: string): Promise<Finding> {
  const response = await fetch(`${url}/healthz`);
  const date = Date.parse(response.headers.get("date") ?? "");
  const skewMs = Math.abs(clock.now() - date);
  if (Number.isNaN(date)) return { check: "clock", state: "warn", found: "the host does not say its time" };
  if (skewMs <= MAX_SKEW_MS) return { check: "clock", state: "ok", found: "agrees with the host" };
  return {
    check: "clock",
    state: "warn",
    found: `${Math.round(skewMs / 1000)} s from the host's`,
    fix: "Set this machine's clock.",
  };
}

async function keys(cli: CommandLine, url: string): Promise<Finding[]> {
  const local = readLocalKeys(cli.env);
  const agentKey = cli.env.key ?? local.agentKey;
  const stewardKey = cli.env.key ?? local.stewardKey;
  if (!agentKey) return [{ check: "keys", state: "fail", found: "there is none", fix: "Set MYTHOS_KEY." }];
  const workflows = await createClient({ url, key: agentKey }).call<{ items: ShownWorkflow[] }>(
    "GET",
    "/api/workflows",
  );
  const holds = stewardKey
    ? await createClient({ url, key: stewardKey }).call("GET", "/api/holds?limit=1")
    : undefined;
  const fix = "The key is unknown here, or may not read: see keys.json, or MYTHOS_KEY.";
  return [
    workflows.ok
      ? { check: "keys", state: "ok", found: "agents may read" }
      : { check: "keys", state: "fail", found: workflows.problem.detail, fix },
    ...(holds && !holds.ok
      ? [{ check: "keys", state: "fail", found: `holds: ${holds.problem.detail}`, fix } as const]
      : []),
    ...(workflows.ok ? [compiled(workflows.value.items)] : []),
  ];
}

function compiled(items: readonly ShownWorkflow[]): Finding {
  const broken = items.filter(({ compiles }) => !compiles).map(({ command, title }) => command ?? title);
  if (broken.length === 0) return { check: "workflows", state: "ok", found: `${items.length} compile` };
  return {
    check: "workflows",
    state: "warn",
    found: `${broken.length} of ${items.length} do not compile: ${broken.join(", ")}`,
    fix: "mythos loops --all --json has every diagnostic.",
  };
}
