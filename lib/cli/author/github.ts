import { printable } from "../../core/printable.ts";
import type { Severity } from "../../workflows/diagnostics.ts";
import type { Checked } from "./pretty.ts";

const COMMAND = { error: "error", warning: "warning", info: "notice" } as const satisfies Record<
  Severity,
  string
>;

/** https://docs.github.com/actions/reference/workflow-commands-for-github-actions: a line is one annotation. */
export const githubLines = (checked: readonly Checked[]): string[] =>
  checked.flatMap(({ path, diagnostics }) =>
    diagnostics.map(({ code, severity, message, hint, range: { start, end } }) => {
      const properties = {
        file: path,
        line: start.line,
        endLine: end.line,
        // GitHub takes columns only for a range within one line.
        ...(end.line === start.line && { col: start.column, endColumn: Math.max(end.column, start.column) }),
        title: code,
      };
      const said = Object.entries(properties).map(([name, value]) => `${name}=${inProperty(String(value))}`);
      return `::${COMMAND[severity]} ${said.join(",")}::${inMessage(hint ? `${message} ${hint}` : message)}`;
    }),
  );

/** A carriage return is shown by its number, as every other control; a line feed is one in the annotation too. */
const inMessage = (text: string): string => printable(text).replaceAll("%", "%25").replaceAll("\n", "%0A");

const inProperty = (text: string): string => inMessage(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
