/** Clauses that nothing catches when they are left out, each with the reason why another one covers it. */
export const REDUNDANT: Readonly<Record<string, string>> = {
  "R2 recover: status = running":
    "leaseOwner exists covers it: every write that leaves `running` removes the lease's owner",
  "T4 end: status = settling (in status = settling and outcome =)":
    "outcome covers it: it stands on a head only from T1, C1 or R2x until T4 removes it, and that is `settling`",
};
