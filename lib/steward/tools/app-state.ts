import * as z from "zod";
import type { RegisteredContext, RegisteredTool } from "../../core/registered.ts";
import { VerdictPayload } from "../ledger-entry.ts";
import type { Namespace } from "../store.ts";
import type { StewardPorts } from "./ports.ts";
import { mayAct, toolInput } from "./tool-input.ts";

const Space = z.object({ appId: z.string().max(80), mode: z.enum(["real", "dry"]).default("dry") });

const List = Space.extend({
  /** All of the owner's, where none is named. */
  sessionId: z.string().max(300).optional(),
  kinds: z.array(z.enum(["note", "disagreement"])).default(["note"]),
  limit: z.int().min(1).max(500).default(10),
});
const Append = Space.extend({ event: z.object({ payload: VerdictPayload }) });

/** A dry run remembers apart: no verdict of it is ever taken for one that was meant. */
const spaceOf = (context: RegisteredContext, { appId, mode }: z.infer<typeof Space>): Namespace => ({
  ownerUid: context.ownerUid,
  appId,
  // One that may not act only rehearses, whatever it calls itself.
  mode: mayAct(context, mode === "real") ? "real" : "dry",
});

/** What was remembered: the newest, in the order in which it was. No app is no memory. */
export function appStateListTool(ports: Pick<StewardPorts, "ledger">): RegisteredTool {
  return {
    name: "app_state_list",
    async call(context, input) {
      const { sessionId, kinds, limit, ...space } = toolInput("app_state_list", List, input);
      if (space.appId === "") return { value: { events: [], nextCursor: null } };
      const { ledger } = ports;
      const namespace = spaceOf(context, space);
      const notes = !kinds.includes("note")
        ? []
        : sessionId === undefined
          ? (await ledger.ofOwner(namespace, limit)).filter(({ kind }) => kind === "note")
          : await ledger.ofSession(namespace, sessionId, limit);
      const said = kinds.includes("disagreement")
        ? (await ledger.disagreements(namespace, limit)).filter(
            ({ item }) => sessionId === undefined || item === sessionId,
          )
        : [];
      const events = [...notes, ...said].toSorted((a, b) => (a.id < b.id ? -1 : 1));
      return { value: { events, nextCursor: null } };
    },
  };
}

/** Remembers a verdict, once for each run and session. */
export function appStateAppendTool(ports: Pick<StewardPorts, "ledger">): RegisteredTool {
  return {
    name: "app_state_append",
    async call(context, input) {
      const { event, ...space } = toolInput("app_state_append", Append, input);
      if (space.appId === "") return { value: { id: null } };
      const { runId, runStartedAt: at } = context;
      const { payload } = event;
      const { id, ts } = await ports.ledger.append(spaceOf(context, space), { runId, at, payload });
      return { value: { id, ts } };
    },
  };
}
