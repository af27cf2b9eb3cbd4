import { expect, it } from "vitest";
import { queryFault } from "../../../lib/core/query-terms.ts";

it.each([
  ["updated:7", "updated:7"],
  ["tag:a updated:soon b", "updated:soon"],
  ["-updated:7d", "-updated:7d"],
  ["status:paused", "status:paused"],
  ['x -STATUS:"in work"', '-STATUS:"in work"'],
])("%s has a term that is none: %s", (query, term) => {
  const fault = queryFault(query);
  expect(fault?.term).toBe(term);
  expect(fault && query.slice(fault.start, fault.end)).toBe(term);
});

it.each([
  "updated:7d tag:x -tag:y words",
  "what was updated: the status",
  "postupdated:7",
  "updated:{{payload.age}}",
  'tag:"status:paused"',
  "http://status:80",
])("%s has none", (query) => expect(queryFault(query)).toBe(null));
