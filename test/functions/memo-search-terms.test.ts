import { expect, it } from "vitest";
import { listQuery } from "../../functions/http-memos-requests.ts";
import { hasCode } from "../../lib/core/errors.ts";

it.each(["updated:7 x", "status:paused"])("a search for %j is refused, not made for words", (q) => {
  let refused: unknown;
  try {
    listQuery({ q });
  } catch (error) {
    refused = error;
  }
  expect(hasCode(refused, "invalid_request") && refused.details.failing).toMatchObject([
    { pointer: "/query/q", message: expect.stringContaining("is not a term of a query") },
  ]);
});

it("a search with terms and words is taken", () => {
  expect(listQuery({ q: "tag:x -tag:y updated:7d words" }).q).toBe("tag:x -tag:y updated:7d words");
});
