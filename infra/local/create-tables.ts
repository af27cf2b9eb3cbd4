import type { CreateTableCommandInput } from "@aws-sdk/client-dynamodb";
import type { KeyAttribute, TableDeclaration } from "../topology.ts";

/** The CreateTable request of a declared table, for the embedded engine. */
export function createTableRequest(tableName: string, table: TableDeclaration): CreateTableCommandInput {
  const attributes = new Map<string, KeyAttribute>();
  const schema = (key: KeyAttribute, sort?: KeyAttribute) => {
    for (const attribute of sort ? [key, sort] : [key]) attributes.set(attribute.name, attribute);
    const hash = { AttributeName: key.name, KeyType: "HASH" as const };
    return sort ? [hash, { AttributeName: sort.name, KeyType: "RANGE" as const }] : [hash];
  };
  const KeySchema = schema(table.key, table.sort);
  const indexes = table.indexes.map((index) => ({
    kind: index.kind,
    request: {
      IndexName: index.name,
      KeySchema: schema(index.kind === "local" ? table.key : (index.key ?? table.key), index.sort),
      Projection: index.include
        ? { ProjectionType: "INCLUDE" as const, NonKeyAttributes: [...index.include] }
        : { ProjectionType: "KEYS_ONLY" as const },
    },
  }));
  const global = indexes.filter((index) => index.kind === "global").map((index) => index.request);
  const local = indexes.filter((index) => index.kind === "local").map((index) => index.request);
  return {
    TableName: tableName,
    BillingMode: "PAY_PER_REQUEST",
    KeySchema,
    AttributeDefinitions: [...attributes.values()].map((attribute) => ({
      AttributeName: attribute.name,
      AttributeType: attribute.type,
    })),
    ...(global.length > 0 && { GlobalSecondaryIndexes: global }),
    ...(local.length > 0 && { LocalSecondaryIndexes: local }),
  };
}
