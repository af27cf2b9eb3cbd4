import { createColors } from "picocolors";
import { printable } from "../core/printable.ts";
import type { Environment } from "./environment.ts";

type Colours = ReturnType<typeof createColors>;

/** Where a command speaks: data on `out`, everything else on `say`. */
export type Terminal = {
  /** One line of data. */
  out(line: string): void;
  /** A text of the library: as it is into a pipe or a file, and so that all of it is seen on a terminal. */
  write(text: string): void;
  /** One line for people. */
  say(line: string): void;
  /** Replaces the last progress line; nothing where nobody watches. The empty text takes it away. */
  progress(line: string): void;
  colours: Colours;
  /** Colours of `say`. */
  tones: Colours;
  /** Whether a question can be asked and answered. */
  canAsk: boolean;
  /** Columns of a line of data; a pipe has none. */
  width: number;
};

export type Settings = { color: boolean; input: boolean };

type Stream = { isTTY?: boolean; columns?: number; write(text: string): unknown };
type Streams = { stdin: { isTTY?: boolean }; stdout: Stream; stderr: Stream };

export function openTerminal(env: Environment, settings: Settings, streams: Streams = process): Terminal {
  const { stdin, stdout, stderr } = streams;
  const wantsColour = (stream: { isTTY?: boolean }): boolean => {
    if (!settings.color || env.noColour) return false;
    if (env.forceColour) return env.forceColour !== "0";
    return stream.isTTY === true && env.terminal !== "dumb" && !env.ci;
  };
  const isWatched = stderr.isTTY && !env.ci && env.terminal !== "dumb";
  let isProgressShown = false;
  const clear = () => {
    if (isProgressShown) stderr.write("\r\u001B[2K");
    isProgressShown = false;
  };
  return {
    out(line) {
      clear();
      stdout.write(`${shown(line)}\n`);
    },
    write(text) {
      clear();
      stdout.write(stdout.isTTY ? printable(text) : text);
    },
    say(line) {
      clear();
      stderr.write(`${shown(line)}\n`);
    },
    progress(line) {
      if (!isWatched) return;
      clear();
      if (line) stderr.write(printable(line).slice(0, Math.max(20, (stderr.columns ?? 80) - 1)));
      isProgressShown = line !== "";
    },
    colours: createColors(wantsColour(stdout)),
    tones: createColors(wantsColour(stderr)),
    canAsk: settings.input && stdin.isTTY === true && stderr.isTTY === true && !env.ci,
    width: stdout.isTTY ? (stdout.columns ?? 80) : Infinity,
  };
}

/** The colours that this command line uses itself; none of them can hide a text. */
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const COLOUR = /(\u001B\[(?:0|1|2|22|3[1-6]|39)m)/;

/** A line with its colours; whatever else in it would act on the terminal came from a text, and is shown. */
const shown = (line: string): string =>
  line
    .split(COLOUR)
    .map((part, at) => (at % 2 === 1 ? part : printable(part)))
    .join("");
