import * as z from "zod";
import type { RegisteredTool } from "../../core/registered.ts";
import { busyChildrenOf } from "../plan-sessions.ts";
import { rowOf } from "../session-row.ts";
import { endedSince, liveSessionsOf } from "./live-sessions.ts";
import type { StewardPorts } from "./ports.ts";
import { toolInput } from "./tool-input.ts";

const HOUR_MS = 60 * 60 * 1000;
const Input = z.object({ relabelWindowHours: z.number().min(0).max(720).default(24) });

/** Live sessions, and those that ended lately: what a scan looks at, and what it leaves out. */
export function sessionListTool(ports: Pick<StewardPorts, "sessions">): RegisteredTool {
  return {
    name: "session_list",
    async call({ ownerUid, runStartedAt }, input) {
      const { relabelWindowHours } = toolInput("session_list", Input, input);
      const live = await liveSessionsOf(ports, ownerUid);
      const ended = await endedSince(ports, ownerUid, runStartedAt - relabelWindowHours * HOUR_MS);
      const busyChildren = busyChildrenOf(live.items);
      const items = [...live.items, ...ended.items].map((session) =>
        rowOf(session, busyChildren.get(session.sessionId) ?? 0),
      );
      // Every row is here: a cursor would only be followed by nobody.
      const leftOut = { live: live.more, ended: ended.more };
      return { value: { items, nextCursor: null, leftOut } };
    },
  };
}
