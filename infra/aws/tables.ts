import {
  CfnTable,
  AttributeType,
  BillingMode,
  ProjectionType,
  Table,
  TableEncryption,
} from "aws-cdk-lib/aws-dynamodb";
import type { IKey } from "aws-cdk-lib/aws-kms";
import { RemovalPolicy } from "aws-cdk-lib";
import type { Construct } from "constructs";
import { TTL_ATTRIBUTE } from "../../lib/core/keys.ts";
import { TABLES, type KeyAttribute, type TableDeclaration, type TableName } from "../topology.ts";
import { logicalName } from "./names.ts";

export type Tables = Record<TableName, Table>;

/** Every declared table, kept when its stack is deleted; under a key of the account's own when one is given. */
export function createTables(scope: Construct, key?: IKey): Tables {
  const entries = Object.entries<TableDeclaration>(TABLES).map(([name, declaration]) => [
    name,
    createTable(scope, `${logicalName(name)}Table`, declaration, key),
  ]);
  return Object.fromEntries(entries) as Tables;
}

function createTable(
  scope: Construct,
  id: string,
  declaration: TableDeclaration,
  key: IKey | undefined,
): Table {
  const table = new Table(scope, id, {
    partitionKey: attribute(declaration.key),
    ...(declaration.sort && { sortKey: attribute(declaration.sort) }),
    billingMode: BillingMode.PAY_PER_REQUEST,
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    deletionProtection: true,
    removalPolicy: RemovalPolicy.RETAIN,
    timeToLiveAttribute: TTL_ATTRIBUTE,
    ...(key && { encryption: TableEncryption.CUSTOMER_MANAGED, encryptionKey: key }),
  });
  for (const index of declaration.indexes) {
    const shared = {
      indexName: index.name,
      sortKey: attribute(index.sort),
      ...(index.include
        ? { projectionType: ProjectionType.INCLUDE, nonKeyAttributes: [...index.include] }
        : { projectionType: ProjectionType.KEYS_ONLY }),
    };
    if (index.kind === "local") table.addLocalSecondaryIndex(shared);
    else table.addGlobalSecondaryIndex({ ...shared, partitionKey: attribute(index.key ?? declaration.key) });
  }
  // A changed logical id replaces the table: pinned here, it survives any rearrangement of the constructs.
  (table.node.defaultChild as CfnTable).overrideLogicalId(id);
  return table;
}

const attribute = (key: KeyAttribute) => ({
  name: key.name,
  type: key.type === "S" ? AttributeType.STRING : AttributeType.NUMBER,
});
