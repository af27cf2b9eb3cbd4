import { RemovalPolicy, Stack, type StackProps } from "aws-cdk-lib";
import { CfnKey, Key } from "aws-cdk-lib/aws-kms";
import type { Construct } from "constructs";
import { createTables, type Tables } from "./tables.ts";

export type DataStackProps = StackProps & {
  /** A key of the account's own for the tables. @default AWS's key, which costs nothing */
  kms?: boolean;
};

/** The tables, apart from the code: a broken deployment of functions can never touch them. */
export class DataStack extends Stack {
  readonly tables: Tables;
  readonly key: Key | undefined;

  constructor(scope: Construct, id: string, { kms, ...props }: DataStackProps) {
    super(scope, id, { ...props, terminationProtection: true });
    this.key = kms ? createKey(this) : undefined;
    this.tables = createTables(this, this.key);
    for (const table of Object.values(this.tables)) {
      // Exported whether or not a function uses it today: an export that goes away while the app stack still
      // imports it fails the deployment.
      this.exportValue(table.tableName);
      this.exportValue(table.tableArn);
    }
  }
}

/** Kept like the tables: without it their rows are noise. */
function createKey(scope: Construct): Key {
  const key = new Key(scope, "TablesKey", {
    description: "Mythos Loops: tables.",
    enableKeyRotation: true,
    removalPolicy: RemovalPolicy.RETAIN,
  });
  (key.node.defaultChild as CfnKey).overrideLogicalId("TablesKey");
  return key;
}
