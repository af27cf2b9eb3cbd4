import { expect, test } from "vitest";
import { AppError } from "../../lib/core/errors.ts";
import { modelRequest } from "./model-request.ts";
import { heldReply, scriptedModel } from "./scripted-model.ts";

test("replies by step in order, records the calls, and throws past the script", async () => {
  const model = scriptedModel({ draft: ["one", { text: "two", stop: "length" }] });
  expect(await model(modelRequest())).toMatchObject({ text: "one", stop: "end" });
  expect(await model(modelRequest())).toMatchObject({ text: "two", stop: "length" });
  await expect(model(modelRequest())).rejects.toThrow('no reply for call 3 of step "draft"');
  await expect(model(modelRequest({ stepId: "other" }))).rejects.toThrow('call 1 of step "other"');
  expect(model.calls.map((call) => call.stepId)).toEqual(["draft", "draft", "draft", "other"]);
});

test("throws the error that stands in the script", async () => {
  const throttled = new AppError("model_throttled", "slow down", { retryAfterMs: 5 });
  const model = scriptedModel({ draft: [throttled, "then"] });
  await expect(model(modelRequest())).rejects.toBe(throttled);
  expect((await model(modelRequest())).text).toBe("then");
});

test("answers from the request", async () => {
  const model = scriptedModel((request, nth) => `${request.stepId} ${nth}`);
  await model(modelRequest());
  expect((await model(modelRequest())).text).toBe("draft 1");
});

test("waits until the test releases it", async () => {
  const held = heldReply("late");
  const model = scriptedModel({ draft: [held.reply] });
  const answer = model(modelRequest());
  await held.started;
  held.release();
  expect((await answer).text).toBe("late");
});

test("leaves a held call with the signal's reason when it is aborted", async () => {
  const held = heldReply("never");
  const model = scriptedModel({ draft: [held.reply] });
  const controller = new AbortController();
  const answer = model(modelRequest({ signal: controller.signal }));
  await held.started;
  const reason = new Error("lease lost");
  controller.abort(reason);
  await expect(answer).rejects.toBe(reason);
});
