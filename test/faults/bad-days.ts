import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { createDoc } from "../../functions/wiring.ts";
import { startEngine } from "../support/engine.ts";
import { startProxy, type Fate, type Seen } from "./store-proxy.ts";
import { endOf, givenLibrary, givenStory, goodEnd, STORIES, tell } from "./store-story.ts";

/** The real SDK client, as the functions build it, behind the proxy; and stories told through it. */
export async function startBadDays() {
  const engine = await startEngine();
  const proxy = await startProxy(engine.endpoint);
  const before = { ...process.env };
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint,
    AWS_REGION: "local",
    AWS_ACCESS_KEY_ID: "local",
    AWS_SECRET_ACCESS_KEY: "local",
  });
  const doc: DynamoDBDocumentClient = createDoc();
  const library = await givenLibrary(engine);
  return {
    engine,
    proxy,
    doc,
    library,
    /** One story with one fate: its writes by name, how it ended, and what was refused on the way. */
    async play(name: string, fate: (seen: Seen) => Fate) {
      const story = STORIES[name]!;
      const told = await givenStory(library, story);
      proxy.start(fate);
      const refusals = await tell(told, doc);
      const writes = new Map(
        proxy.seen().flatMap((one) => (one.write < 0 ? [] : [[one.write, one.name] as const])),
      );
      proxy.start(() => "pass");
      return { writes: [...writes.values()], refusals, end: await endOf(told), good: goodEnd(story) };
    },
    async stop(): Promise<void> {
      process.env = before;
      doc.destroy();
      await proxy.stop();
      await engine.stop();
    },
  };
}
export type BadDays = Awaited<ReturnType<typeof startBadDays>>;

/** A fate for the first attempts of the n-th write. */
export const onWrite =
  (write: number, fate: Fate, attempts: number) =>
  (seen: Seen): Fate =>
    seen.write === write && seen.attempt <= attempts ? fate : "pass";

export const STORY_NAMES = Object.keys(STORIES);
