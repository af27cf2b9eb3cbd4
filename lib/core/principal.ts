/** What a credential may do; `holds:decide` and `keys:admin` are for people only. */
export const SCOPES = [
  "sessions:write",
  "memos:read",
  "memos:write",
  "workflows:write",
  "items:enqueue",
  "runs:read",
  "runs:cancel",
  "loops:write",
  "edges:report",
  "holds:read",
  "holds:decide",
  "keys:admin",
] as const;
export type Scope = (typeof SCOPES)[number];

/** Scopes that no agent's key can have, whatever its record says. */
export const PEOPLE_ONLY: ReadonlySet<Scope> = new Set(["holds:decide", "keys:admin"]);

export type PrincipalKind = "agent" | "human" | "chat" | "schedule" | "loop";

/** Who is acting, as the credential says; nothing of it ever comes from a body, a path or a header. */
export type Principal = {
  /** `agent:<keyId>`, `human:<uid>`, `chat:<threadId>`, `schedule:<id>` or `loop:<id>`. */
  principalId: string;
  kind: PrincipalKind;
  /** Whose library this is. */
  ownerUid: string;
  /** The person, or the person in whose name an agent acts. */
  uid: string;
  username: string;
  keyId?: string;
  scopes: readonly Scope[];
};

/** Who asked for a run; stored on the item and the run, compared when somebody decides. */
export type Requester = { principalId: string; kind: PrincipalKind; uid: string; username: string };

/** The part of a principal that is remembered with what it asked for. */
export const requesterOf = (principal: Requester): Requester => ({
  principalId: principal.principalId,
  kind: principal.kind,
  uid: principal.uid,
  username: principal.username,
});
