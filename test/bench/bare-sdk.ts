/* What a function that does nothing would load of the SDK: the measure for those that do something. */
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { SQSClient } from "@aws-sdk/client-sqs";
import { DynamoDBDocumentClient, GetCommand, QueryCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";

const doc = DynamoDBDocumentClient.from(new DynamoDBClient({}));

const parts = [doc, new SQSClient({}), GetCommand, QueryCommand, UpdateCommand];

export const handler = async (): Promise<number> => parts.length;
