import type { Compiled } from "../../../lib/workflows/compile.ts";
import { compileWorkflow } from "../../../lib/workflows/compile.ts";
import { libraryOf } from "../../support/workflow-lookup.ts";

const TITLES = ["House style", "Glossary", "Roadmap", "Roadmap", "Encyclopedia", "Case"];
/** The workflow of each case is the last memo of its library. */
const CASE_ID = "M-6";

/** The library and the deployment that the cases in test/fixtures/workflows are compiled against. */
const LIBRARY = libraryOf(TITLES, {
  async commandOwners(command) {
    return command === "/taken" ? [{ memoId: "M-9", title: "Memo drafting" }] : [];
  },
  destinations: ["memo", "reply"],
  sources: ["memo", "runs", "holds", "fetch"],
  readTools: ["search_memos", "read_memo"],
  pricedModels: ["small", "default", "large", "anthropic/some-model-4.5"],
  windowTokens: () => 10_000,
  async memoTokens(memoId) {
    return memoId === "M-5" ? 7000 : 100;
  },
});

/** Compiles a case's text as version 1 at the epoch. */
export function compileCase(body: string): Promise<Compiled> {
  const source = { memoId: CASE_ID, contentVersion: 1, contentHash: "sha256:case", body, title: "Case" };
  return compileWorkflow(source, LIBRARY, 0);
}
