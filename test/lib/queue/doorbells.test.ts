import type { SQSClient } from "@aws-sdk/client-sqs";
import { expect, test } from "vitest";
import type { Id } from "../../../lib/core/ids.ts";
import { createDoorbells } from "../../../lib/queue/doorbell-adapter.ts";

type Batch = { Entries: { Id: string; MessageBody: string; DelaySeconds?: number }[] };

/** SQS as it may answer; what it was sent, and which bells were said to be lost. */
function givenSqs(answer: (batch: Batch) => object) {
  const sent: Batch[] = [];
  const lost: string[] = [];
  const sqs = {
    send: async ({ input }: { input: Batch }) => {
      sent.push(input);
      return answer(input);
    },
  } as unknown as SQSClient;
  const doorbells = createDoorbells(sqs, { wake: "wake", run: "run" }, (queue, reason) =>
    lost.push(`${queue} ${reason}`),
  );
  return { doorbells, sent, lost };
}

const bells = (many: number) =>
  Array.from({ length: many }, (_, epoch) => ({ runId: `run_${epoch}` as Id<"run">, epoch }));
const all = ({ Entries }: Batch) => ({ Successful: Entries.map(({ Id: id }) => ({ Id: id })), Failed: [] });

test("F15: an answer that lists one of three and no failure leaves two unsent, and says so", async () => {
  const { doorbells, lost } = givenSqs(() => ({ Successful: [{ Id: "0" }] }));
  expect(await doorbells.ringRuns(bells(3))).toBe(false);
  expect(lost).toEqual(["run PartialBatch"]);
});

test.each<[string, (batch: Batch) => object]>([
  ["lists nothing at all", () => ({})],
  ["lists each as failed", ({ Entries }) => ({ Failed: Entries.map(({ Id: id }) => ({ Id: id })) })],
  ["lists one twice", () => ({ Successful: [{ Id: "0" }, { Id: "0" }, { Id: "0" }] })],
  ["lists ones that were not sent", () => ({ Successful: [{ Id: "7" }, { Id: "8" }, { Id: "9" }] })],
])("F15: an answer that %s is no success", async (_what, answer) => {
  const { doorbells, lost } = givenSqs(answer);
  expect(await doorbells.ringRuns(bells(3))).toBe(false);
  expect(lost).toHaveLength(1);
});

test("a batch that fails does not keep the next one from being sent", async () => {
  let batches = 0;
  const { doorbells, sent, lost } = givenSqs((batch) => {
    if (++batches === 1) throw new Error("refused");
    return all(batch);
  });
  expect(await doorbells.ringRuns(bells(25))).toBe(false);
  expect(sent.map(({ Entries }) => Entries.length)).toEqual([10, 10, 5]);
  expect(lost).toEqual(["run Error"]);
});

test("what is all sent is a success, and a bell holds ids and an epoch alone", async () => {
  const { doorbells, sent, lost } = givenSqs(all);
  expect(await doorbells.ringRuns([{ runId: "run_1", epoch: 2, delaySec: 5000 }])).toBe(true);
  expect(sent[0]?.Entries).toEqual([
    { Id: "0", MessageBody: '{"v":1,"runId":"run_1","epoch":2}', DelaySeconds: 900 },
  ]);
  expect(lost).toEqual([]);
});
