/** The names that the command line reads; nothing else of it looks at the environment. */
const NAMES = {
  url: "MYTHOS_URL",
  key: "MYTHOS_KEY",
  internalKey: "MYTHOS_INTERNAL_KEY",
  /** A person's key beside MYTHOS_KEY, where both are needed at once. */
  stewardKey: "MYTHOS_STEWARD_KEY",
  session: "MYTHOS_SESSION",
  target: "MYTHOS_TARGET",
  data: "MYTHOS_DATA",
  config: "MYTHOS_CONFIG",
  output: "MYTHOS_OUTPUT",
  debug: "MYTHOS_DEBUG",
  noColour: "NO_COLOR",
  forceColour: "FORCE_COLOR",
  visual: "VISUAL",
  editor: "EDITOR",
  terminal: "TERM",
  /** A file of exports that a coding agent reads before it runs a command. */
  agentEnvFile: "CLAUDE_ENV_FILE",
  ci: "CI",
} as const;

export type Environment = Partial<Record<keyof typeof NAMES, string>> & {
  /** Of a target: the variable that should hold its key. */
  keyEnv?: string;
};

/** What is set, under our own names; an empty variable is one that is not set. */
export function readEnvironment(): Environment {
  const found: Environment = {};
  for (const [name, variable] of Object.entries(NAMES)) {
    const value = process.env[variable];
    if (value) found[name as keyof typeof NAMES] = value;
  }
  return found;
}

/** A variable that config.json names, as of a key; an empty one is not set. */
export const namedVariable = (name: string): string | undefined => process.env[name] || undefined;
