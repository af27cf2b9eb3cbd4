import * as fc from "fast-check";
import { expect } from "vitest";
import type { Host } from "../../infra/local/host.ts";
import { openApiDocument } from "../../infra/openapi/document.ts";
import { ERRORS } from "../../lib/core/errors.ts";
import { clientOf, heldDraft, send, type MemoEntry } from "../e2e/client.ts";
import { demoLibrary, importFiles } from "../e2e/library.ts";
import { givenHost, OWNER } from "../e2e/test-host.ts";
import { generatedRequests } from "./generated-requests.ts";

/** So many that the limit of writes by one key refuses few of them. */
const PEOPLE = Array.from({ length: 10 }, (_, n) => ({ uid: `person-${n}`, ownerUid: OWNER }));

/** Sends generated requests of every route to a host of its own. @throws with the seed at the first wrong answer */
export async function fuzz({ requests, forMs }: { requests: number; forMs: number }): Promise<number> {
  const { host, keys, stop } = await givenHost([{ uid: "stranger", ownerUid: "stranger" }, ...PEOPLE]);
  let sent = 0;
  try {
    const own = [host.keys.agentKey, host.keys.stewardKey, ...keys.slice(1)];
    const ids = [...(await idsOf(host, own[1]!)), ...(await idsOf(host, keys[0]!))];
    const asked = generatedRequests(await openApiDocument(), { ids, keys: own });
    const property = fc.asyncProperty(asked, async (request) => {
      const answer = await send(host, request);
      sent++;
      const problem = answer.status >= 400 ? (JSON.parse(answer.text) as { code: string }) : undefined;
      expect(answer.status, `${request.route} answered ${answer.text}`).toBeLessThan(500);
      if (!problem || isProtocolError(request.route, problem)) return;
      expect(answer.headers.get("content-type")).toBe("application/problem+json");
      expect(Object.keys(ERRORS)).toContain(problem.code);
      expect(problem).toMatchObject({
        type: `urn:mythos-loops:error:${problem.code}`,
        status: answer.status,
      });
    });
    await fc.assert(property, {
      numRuns: requests,
      endOnFailure: true,
      interruptAfterTimeLimit: forMs,
      markInterruptAsFailure: false,
    });
    return sent;
  } finally {
    await stop();
  }
}

/** What the protocol of tools refuses it refuses in its own form; a request that does not come so far is a problem. */
const isProtocolError = (route: string, answer: object): boolean =>
  route === "POST /mcp" &&
  "jsonrpc" in answer &&
  "error" in answer &&
  typeof (answer.error as { code?: unknown }).code === "number";

/** Ids of every kind that one owner has, and names that stand for one. */
async function idsOf(host: Host, key: string): Promise<string[]> {
  const client = clientOf(host, key);
  await importFiles(client, demoLibrary());
  const session = { name: "fuzz", purpose: "Have an id" };
  const { sessionId } = await client.post<{ sessionId: string }>("/api/internal/sessions", session);
  const { itemId, runId, hold } = await heldDraft(client, "What is a lane, and how wide is it?");
  const [memo] = await client.all<MemoEntry>("/api/memos");
  const { keyId } = await client.post<{ keyId: string }>("/api/keys", { label: "fuzz", scopes: [] });
  return [sessionId, itemId, runId, hold.holdId, memo!.memoId, hold.run.workflowId, keyId, "draft-memo"];
}
