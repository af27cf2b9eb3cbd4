import type { CommandSpec, Group } from "./program.ts";
import type { CdkCommand } from "./ops/deploy.ts";

const STAGE = { flags: "--stage <name>", says: "which deployment (default: prod)" };

const wrap = (name: CdkCommand, summary: string, examples: CommandSpec["examples"]): CommandSpec => ({
  usage: `${name} [cdk...]`,
  summary,
  options: [STAGE],
  examples,
  run: async (cli, given) => (await import("./ops/deploy.ts")).cdk(cli, given, name),
});

export const deployGroup: Group = {
  title: "Deploy",
  commands: [
    wrap("deploy", "Show what changes, ask, and deploy with CDK; what stands after -- is CDK's", [
      "mythos deploy --stage dev -- -c tracing=true",
      'mythos deploy -- --parameters "mythos-prod-app:InternalKey=$MYTHOS_INTERNAL_KEY"',
    ]),
    wrap("diff", "What a deployment would change", ["mythos diff", "mythos diff --stage dev"]),
    wrap("destroy", "Remove the functions, queues, rules and the API; the tables stay", [
      "mythos destroy --stage dev",
      "mythos destroy --stage dev --yes",
    ]),
  ],
};
