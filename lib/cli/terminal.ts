import { createColors } from "picocolors";
import type { Environment } from "./environment.ts";

type Colours = ReturnType<typeof createColors>;

/** Where a command speaks: data on `out`, everything else on `say`. */
export type Terminal = {
  /** One line of data. */
  out(line: string): void;
  /** Bytes of data, as they are. */
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

export function openTerminal(env: Environment, settings: Settings): Terminal {
  const { stdin, stdout, stderr } = process;
  const wantsColour = (stream: { isTTY?: boolean }): boolean => {
    if (!settings.color || env.noColour) return false;
    if (env.forceColour) return env.forceColour !== "0";
    return stream.isTTY === true && env.terminal !== "dumb" && !env.ci;
  };
  const isWatched = stderr.isTTY && !env.ci && env.terminal !== "dumb";
  let shown = false;
  const clear = () => {
    if (shown) stderr.write("\r\u001B[2K");
    shown = false;
  };
  return {
    out(line) {
      clear();
      stdout.write(`${line}\n`);
    },
    write(text) {
      clear();
      stdout.write(text);
    },
    say(line) {
      clear();
      stderr.write(`${line}\n`);
    },
    progress(line) {
      if (!isWatched) return;
      clear();
      if (line) stderr.write(line.slice(0, Math.max(20, (stderr.columns ?? 80) - 1)));
      shown = line !== "";
    },
    colours: createColors(wantsColour(stdout)),
    tones: createColors(wantsColour(stderr)),
    canAsk: settings.input && stdin.isTTY === true && stderr.isTTY === true && !env.ci,
    width: stdout.isTTY ? (stdout.columns ?? 80) : Infinity,
  };
}

/** A text that came from a model or a memo must not move the cursor, hide lines or write into the terminal's title. */
export const printable = (text: string): string => text.replace(UNPRINTABLE, escaped);

// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const UNPRINTABLE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069]/g;

const escaped = (character: string): string =>
  `\\u${character.codePointAt(0)!.toString(16).padStart(4, "0")}`;
