import { Stack, type StackProps } from "aws-cdk-lib";
import type { Construct } from "constructs";
import { createTables, type Tables } from "./tables.ts";

/** The tables, apart from the code: a broken deployment of functions can never touch them. */
export class DataStack extends Stack {
  readonly tables: Tables;

  constructor(scope: Construct, id: string, props: StackProps) {
    super(scope, id, { ...props, terminationProtection: true });
    this.tables = createTables(this);
    for (const table of Object.values(this.tables)) {
      // Exported whether or not a function uses it today: an export that goes away while the app stack still
      // imports it fails the deployment.
      this.exportValue(table.tableName);
      this.exportValue(table.tableArn);
    }
  }
}
