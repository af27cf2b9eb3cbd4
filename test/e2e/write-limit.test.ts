import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ENV } from "../../functions/env.ts";
import { startHost } from "../../infra/local/host.ts";
import { clientOf, problemOf } from "./client.ts";
import { rawClient } from "./mcp/raw-client.ts";

test(
  "a host with a limit of writes refuses a key above it, and lets it read on",
  { timeout: 60_000 },
  async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "limit-"));
    const host = await startHost({ dataDir, port: 0, quiet: true, env: { [ENV.writesPerMinute]: "3" } });
    try {
      const agent = clientOf(host, host.keys.agentKey);
      const open = () => agent.ask("POST", "/api/internal/sessions", { name: "x", purpose: "x" });
      // Eight, since a minute may end between two of them.
      const answers = [];
      for (let n = 0; n < 8; n++) answers.push(await open());
      const refused = answers.filter(({ status }) => status === 429);
      expect(refused.length).toBeGreaterThanOrEqual(2);
      expect(problemOf(refused[0]!)).toMatchObject({ code: "rate_limited", limit: 3, perSeconds: 60 });
      expect(Number(refused[0]!.headers.get("retry-after"))).toBeGreaterThan(0);
      expect((await agent.ask("GET", "/api/internal/sessions")).status).toBe(200);
      const tools = rawClient(host, host.keys.agentKey);
      const written = [];
      for (let n = 0; n < 8; n++) written.push(await tools.call("write_memo", { title: `${n}`, body: "x" }));
      const texts = written.filter(({ isError }) => isError).map(({ content }) => content[0]?.text);
      expect(texts.length).toBeGreaterThanOrEqual(2);
      expect(texts[0]).toMatch(/may write 3 times a minute.*Retry after \d+ s/);
      expect((await tools.call("search_memos", { query: "x" })).isError).toBeFalsy();
      expect(
        (
          await clientOf(host, host.keys.stewardKey).ask("POST", "/api/internal/sessions", {
            name: "x",
            purpose: "x",
          })
        ).status,
      ).toBe(201);
    } finally {
      await host.stop();
      rmSync(dataDir, { recursive: true });
    }
  },
);
