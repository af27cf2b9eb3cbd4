/** The text of a workflow that is live and held, with the parts that a test is about. */
export function stepWorkflow(parts: {
  command: string;
  title?: string;
  /** Lines of the Trigger after its first three. */
  inputs?: readonly string[];
  loads?: readonly string[];
  /** Numbered from 2 on; the first step is the trigger. */
  steps: readonly string[];
  policy?: readonly string[];
}): string {
  const { command, title = command.slice(1), inputs = [], loads = [], steps, policy = [] } = parts;
  const numbered = ["**trigger** `item` Take it.", ...steps].map((step, index) => `${index + 1}. ${step}`);
  const isGiven = (key: string) => policy.some((line) => line.startsWith(`- **${key}**`));
  const standard = {
    Approval: "`hold`",
    Destination: "`memo`",
    Target: "`new`",
    Budget: "`400k tokens` per run",
    Concurrency: "`10`",
  };
  return [
    `# ${title}`,
    "",
    "## Trigger",
    `- **Command** \`${command}\``,
    "- **Status** `live`",
    "- **Summary** A workflow that a test has written for itself",
    ...inputs,
    "",
    "## Load Contract",
    ...loads,
    "",
    "## Steps",
    ...numbered,
    "",
    "## Policy",
    ...Object.entries(standard).flatMap(([key, value]) => (isGiven(key) ? [] : [`- **${key}** ${value}`])),
    ...policy,
    "",
  ].join("\n");
}

/** A step with its nested options, and its schema. */
export const withOptions = (step: string, options: readonly string[], schema?: object): string =>
  [
    step,
    ...options.map((option) => `   - ${option}`),
    ...(schema ? ["", "   ```json schema", `   ${JSON.stringify(schema)}`, "   ```"] : []),
  ].join("\n");

/** The last step of most tests. */
export const OUTPUT = "**output** `publish` File it.";
