import { readFileSync } from "node:fs";
import { text as readAll } from "node:stream/consumers";
import { parseDuration } from "../core/duration.ts";
import { EXIT, Failure, usage } from "./failure.ts";
import type { Given } from "./program.ts";

/** The text of an option; undefined when it was not given. */
export function textOption({ options }: Given, name: string): string | undefined {
  const value = options[name];
  return typeof value === "string" ? value : undefined;
}

export const flag = ({ options }: Given, name: string): boolean => options[name] === true;

/** Every text of an option that may be given several times. */
export function listOption({ options }: Given, name: string): readonly string[] {
  const value = options[name];
  if (Array.isArray(value)) return value.map(String);
  return typeof value === "string" ? [value] : [];
}

export function operand({ args }: Given, index: number): string {
  return args[index] ?? "";
}

/** How many lines a list shows. @throws {Failure} for what is no number */
export function limitOption(given: Given, standard: number): number {
  const said = textOption(given, "limit");
  if (said === undefined) return standard;
  if (/^[1-9]\d{0,4}$/.test(said)) return Number(said);
  throw usage(`--limit is "${said}"; expected a whole number from 1 to 99999`);
}

/** How long to wait: undefined without the option, `standard` when it stands alone. */
export function waitOption(given: Given, standard: number): number | undefined {
  const said = given.options["wait"];
  if (said === undefined || said === false) return undefined;
  if (said === true) return standard;
  const ms = typeof said === "string" ? parseDuration(said) : undefined;
  if (ms !== undefined) return ms;
  throw usage(`--wait is "${String(said)}"; expected a duration such as 30s or 10m`);
}

/** The text of a file of people; @throws {Failure} not found */
export function readFile(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ENOENT") throw new Failure(EXIT.notFound, `there is no file ${path}`);
    throw new Failure(EXIT.failed, `${path} cannot be read: ${code ?? String(error)}`);
  }
}

/** `-` is standard input, `@file` a file, anything else the text itself. */
export async function readArgument(said: string): Promise<string> {
  if (said === "-") return readAll(process.stdin);
  return said.startsWith("@") ? readFile(said.slice(1)) : said;
}

/** A payload as JSON text, byte for byte as it came. @throws {Failure} when it is none */
export async function readPayload(said: string): Promise<string> {
  const text = await readArgument(said);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw usage(
      `the payload is not JSON: ${error instanceof Error ? error.message : ""}`,
      "Quote it for your shell, or use --payload @file.",
    );
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return text;
  throw usage("the payload must be a JSON object", `Write --payload '{"topic":"…"}'.`);
}
