import { createServer, request as send, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** One request of the SDK, as it is seen on the wire. */
export type Seen = {
  operation: string;
  /** What is written: the table, the row and the state that it is given. */
  name: string;
  /** The same for every attempt of one call. */
  invocation: string;
  /** Counts the calls that write, from 0; -1 for one that reads. */
  write: number;
  attempt: number;
};

/** What befalls a request on its way. */
export type Fate = "pass" | "answer lost" | "reset" | "throttled" | "throttling" | "bad signature";

const WRITES = new Set(["PutItem", "UpdateItem", "DeleteItem"]);

/** A proxy in front of the embedded engine, where answers get lost and requests are refused as on a bad day. */
export async function startProxy(endpoint: string) {
  let fateOf: (seen: Seen) => Fate = () => "pass";
  let seen: Seen[] = [];
  const writes = new Map<string, number>();
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const body = Buffer.concat(chunks);
      const one = described(incoming, body, writes);
      seen.push(one);
      follow(fateOf(one), incoming, outgoing, body);
    });
  });

  function follow(fate: Fate, incoming: IncomingMessage, outgoing: ServerResponse, body: Buffer): void {
    if (fate === "reset") return void incoming.socket.destroy();
    const error = ERRORS[fate];
    if (error) {
      outgoing.writeHead(400, { "content-type": "application/x-amz-json-1.0" });
      return void outgoing.end(JSON.stringify(error));
    }
    const { method, headers, url } = incoming;
    const onward = send(new URL(url ?? "/", endpoint), { method, headers }, (answer) => {
      if (fate === "answer lost") {
        // Applied by now: the engine has answered.
        answer.resume();
        answer.on("end", () => incoming.socket.destroy());
        return;
      }
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    onward.end(body);
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** From here on requests go as `fate` says, and their count begins anew. */
    start(fate: (seen: Seen) => Fate): void {
      fateOf = fate;
      seen = [];
      writes.clear();
    },
    /** What has come since the start. */
    seen: (): readonly Seen[] => seen,
    async stop(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
export type Proxy = Awaited<ReturnType<typeof startProxy>>;

const failure = (name: string) => ({
  __type: `com.amazonaws.dynamodb.v20120810#${name}`,
  message: "on purpose",
});

const ERRORS: Partial<Record<Fate, object>> = {
  throttled: failure("ProvisionedThroughputExceededException"),
  throttling: {
    ...failure("ThrottlingException"),
    __type: "com.amazon.coral.availability#ThrottlingException",
  },
  "bad signature": failure("InvalidSignatureException"),
};

function described(incoming: IncomingMessage, body: Buffer, writes: Map<string, number>): Seen {
  const operation = String(incoming.headers["x-amz-target"] ?? "").split(".")[1] ?? "";
  const invocation = String(incoming.headers["amz-sdk-invocation-id"] ?? "");
  const attempt = Number(/attempt=(\d+)/.exec(String(incoming.headers["amz-sdk-request"]))?.[1] ?? 1);
  if (WRITES.has(operation) && !writes.has(invocation)) writes.set(invocation, writes.size);
  const write = writes.get(invocation) ?? -1;
  return { operation, name: nameOf(JSON.parse(body.toString()) as Input), invocation, attempt, write };
}

type Value = { S?: string; N?: string };
type Input = {
  TableName?: string;
  Item?: Record<string, Value>;
  Key?: Record<string, Value>;
  UpdateExpression?: string;
  ExpressionAttributeNames?: Record<string, string>;
  ExpressionAttributeValues?: Record<string, Value>;
};

/** `runs HEAD +gate,status=suspending`: what a write sets, in the row's own words. */
function nameOf(input: Input): string {
  const row = input.Item ?? input.Key ?? {};
  const part = row["part"]?.S?.split("#")[0] ?? "";
  const names = input.ExpressionAttributeNames ?? {};
  const values = input.ExpressionAttributeValues ?? {};
  const set = (input.UpdateExpression ?? "").match(/#[\w.#]+(?= = :| :)|#[\w.#]+ = if/g) ?? [];
  const changed = set.map((path) => {
    const attribute = path
      .split(" ")[0]!
      .split(".")
      .map((one) => names[one] ?? one)
      .join(".");
    const value = new RegExp(`${path.replaceAll(".", "\\.")} = (:\\w+)`).exec(
      input.UpdateExpression ?? "",
    )?.[1];
    return attribute === "status" && value ? `status=${values[value]?.S}` : attribute;
  });
  return [input.TableName, part, changed.join(",")].filter(Boolean).join(" ");
}
