import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { TableName } from "../../infra/topology.ts";
import { startEngine } from "../support/engine.ts";
import { createMemoryEngine } from "../support/memory/engine.ts";

type Tables = Record<TableName, string>;
type Story = (doc: DynamoDBDocumentClient, tables: Tables) => Promise<unknown>;

/** The embedded engine and the memory engine, asked the same. */
export async function startTwoEngines() {
  const embedded = await startEngine();
  return {
    /** What each of them answers to the same calls. */
    async ask(story: Story): Promise<{ embedded: unknown; memory: unknown }> {
      const memory = createMemoryEngine();
      return {
        embedded: plain(await story(embedded.doc, embedded.tables)),
        memory: plain(await story(memory.doc, memory.tables)),
      };
    },
    stop: () => embedded.stop(),
  };
}

/** An outcome that is a value: what was answered, or the name of what was thrown. */
export async function outcomeOf(call: () => Promise<unknown>): Promise<unknown> {
  try {
    return { answer: (await call()) ?? null };
  } catch (error) {
    return { error: error instanceof Error ? error.name : "unknown" };
  }
}

/** Sets in one order and rows without a prototype of their own, so that equal answers are equal values. */
function plain(value: unknown): unknown {
  if (value instanceof Set) return { set: [...value].sort() };
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, one]) => one !== undefined && name !== "$metadata")
      .map(([name, one]) => [name, plain(one)]),
  );
}
