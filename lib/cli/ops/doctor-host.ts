import type { ShownWorkflow } from "../../client/answers.ts";
import { createClient } from "../../client/client.ts";
import type { CommandLine } from "../command-line.ts";
import { readLocalKeys, urlOf } from "../connection.ts";
import type { Failure } from "../failure.ts";
import type { Finding } from "./doctor.ts";

/** The host's clock and ours may differ by this; more and expiry times would mislead. */
const MAX_SKEW_MS = 5000;

/** Whether a host answers, agrees on the time, knows the keys, and what of its workflows compiles. */
export async function hostFindings(cli: CommandLine): Promise<Finding[]> {
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
