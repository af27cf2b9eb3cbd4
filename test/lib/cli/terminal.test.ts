import { expect, test } from "vitest";
import { openTerminal } from "../../../lib/cli/terminal.ts";

const HOSTILE = "a\u001B]0;owned\u0007\u200B\u001B[8mb\n";
const SHOWN = "a\\u001b]0;owned\\u0007\\u200b\\u001b[8mb\n";

/** A terminal, or a pipe, and what has been written to it. */
function given(isTTY: boolean) {
  const said = { out: "", err: "" };
  const stream = (name: keyof typeof said) => ({
    isTTY,
    write(text: string) {
      said[name] += text;
    },
  });
  const streams = { stdin: { isTTY }, stdout: stream("out"), stderr: stream("err") };
  return { terminal: openTerminal({}, { color: true, input: true }, streams), said };
}

test("the text of a memo is shown so that all of it is seen, and goes into a pipe as it is", () => {
  const screen = given(true);
  screen.terminal.write(HOSTILE);
  expect(screen.said.out).toBe(SHOWN);
  const pipe = given(false);
  pipe.terminal.write(HOSTILE);
  expect(pipe.said.out).toBe(HOSTILE);
});

test("a line keeps the colours of the command line, and loses what a text brought", () => {
  const { terminal, said } = given(true);
  const { bold, red } = terminal.colours;
  terminal.out(`${bold(red("head"))} ${HOSTILE.trimEnd()}`);
  expect(said.out).toBe(`${bold(red("head"))} ${SHOWN}`);
  terminal.say(`error ${HOSTILE.trimEnd()}`);
  expect(said.err).toBe(`error ${SHOWN}`);
});
