import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { decide } from "../../../lib/cli/decide/decision.ts";
import { createClient } from "../../../lib/client/client.ts";
import { countingIds } from "../../support/ids.ts";

let server: Server;
afterEach(() => new Promise((resolve) => server.close(resolve)));

/** A host that answers each request by the next of these; `lost` takes the request and hangs up. */
async function givenHost(answers: readonly (number | "lost")[]) {
  const bodies: Record<string, unknown>[] = [];
  server = createServer((request, response) => {
    let text = "";
    request.on("data", (piece) => (text += piece));
    request.on("end", () => {
      const answer = answers[bodies.length];
      bodies.push(JSON.parse(text) as Record<string, unknown>);
      if (answer === "lost") response.destroy();
      else response.writeHead(answer!, { "content-type": "application/json" }).end("{}");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const client = createClient({ url: `http://127.0.0.1:${port}`, key: "k" });
  const again = { ids: countingIds(), wait: async () => undefined };
  const decision = { verdict: "approve", sha256: "sha256:0" };
  return { bodies, said: () => decide({ ask: client.call }, "hold_x", decision, again) };
}

test("a decision whose answer was lost is sent again under the same id", async () => {
  const { bodies, said } = await givenHost(["lost", 503, 200]);
  await said();
  expect(bodies).toHaveLength(3);
  expect(bodies[0]).toMatchObject({ verdict: "approve", decisionId: expect.stringMatching(/^dec_/) });
  expect(new Set(bodies.map((body) => body["decisionId"])).size).toBe(1);
});

test("a refusal is sent once, and what stays lost is given up", async () => {
  const refused = await givenHost([409]);
  await expect(refused.said()).rejects.toThrow("the host");
  expect(refused.bodies).toHaveLength(1);
  server.close();
  const lost = await givenHost(["lost", "lost", "lost"]);
  await expect(lost.said()).rejects.toThrow("the host");
  expect(lost.bodies).toHaveLength(3);
});
