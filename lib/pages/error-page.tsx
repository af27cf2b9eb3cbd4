import { Document } from "./layout.tsx";
import { OwnWords } from "./own-words.tsx";
import type { Html } from "./shown.ts";

/** What was wrong, and what to do next. */
export function ErrorPage(problem: {
  code: string;
  title: string;
  detail: string;
  hint: string;
  requestId: string;
  words: readonly string[];
}): Html {
  return (
    <Document title={problem.title}>
      <main class="door">
        <p class="brand">Mythos Loops</p>
        <h1>{problem.title}</h1>
        <p>{problem.detail}</p>
        <p>{problem.hint}</p>
        <OwnWords words={problem.words} />
        <p>
          <a href="/steward/holds">Back to the holds</a>
        </p>
        <p class="quiet">
          <code>{problem.code}</code> · request <code>{problem.requestId}</code>
        </p>
      </main>
    </Document>
  );
}
