/** A workflow that lands a text without a person; parts of it are exchanged by what a test is about. */
export type WorkflowParts = {
  command?: string;
  status?: string;
  /** Further lines of the Trigger section. */
  trigger?: readonly string[];
  /** The process steps; one `draft` when absent. */
  steps?: readonly string[];
  /** Further lines of the Policy section, Approval and Budget among them when they are not the standard ones. */
  policy?: readonly string[];
};

/** The text of a workflow memo. */
export function workflowText({ command = "/loop", status = "live", ...parts }: WorkflowParts = {}): string {
  const { trigger = [], policy = [], steps = ["**process** `draft` Write about the payload."] } = parts;
  const all = ["**trigger** `begin` Take it.", ...steps, "**output** `publish` File it."];
  const line = (text: string) => `- ${text}`;
  const standard = [
    ["Approval", "**Approval** `auto`"],
    ["Budget", "**Budget** `400k tokens` per run"],
  ].flatMap(([key, text]) => (policy.some((given) => given.startsWith(`**${key}**`)) ? [] : [text!]));
  return [
    `# ${command.slice(1)}`,
    "## Trigger",
    line(`**Command** \`${command}\``),
    line(`**Status** \`${status}\``),
    line("**Summary** Writes one memo for a test of the loop"),
    ...trigger.map(line),
    "## Load Contract",
    "## Steps",
    ...all.map((text, index) => `${index + 1}. ${text}`),
    "## Policy",
    ...["**Destination** `memo`", ...standard, ...policy].map(line),
    "",
  ].join("\n");
}
