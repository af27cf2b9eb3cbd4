import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";

/** When a process dies: before its n-th write reaches the store, or right after it was made. */
export type KillPoint = { write: number; when: "before" | "after" };

/** The process is gone: nothing it sends afterwards arrives. */
export class Killed extends Error {
  override name = "Killed";
}

const WRITES = new Set(["PutCommand", "UpdateCommand", "DeleteCommand"]);

/** A client whose process dies at a point, and the names of the writes it made until then. */
export function killable(doc: DynamoDBDocumentClient, at: KillPoint | undefined) {
  const writes: string[] = [];
  let isDead = false;
  const send = async (command: object) => {
    if (isDead) throw new Killed("the process is gone");
    const isWrite = WRITES.has(command.constructor.name);
    if (!isWrite) return doc.send(command as never);
    const isPoint = at?.write === writes.length;
    writes.push(nameOf(command));
    if (isPoint && at?.when === "before") isDead = true;
    if (isDead) throw new Killed("killed before the write");
    const answer = await doc.send(command as never);
    if (!isPoint) return answer;
    isDead = true;
    throw new Killed("killed after the write");
  };
  const client = new Proxy(doc, {
    get: (target, key) => (key === "send" ? send : (Reflect.get(target, key) as unknown)),
  });
  return { doc: client, writes, isDead: () => isDead };
}

function nameOf(command: object): string {
  const { input } = command as {
    input: { TableName: string; Item?: { part?: string }; UpdateExpression?: string };
  };
  return `${input.TableName} ${input.Item?.part?.split("#")[0] ?? (input.UpdateExpression ? "update" : "put")}`;
}
