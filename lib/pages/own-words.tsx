import type { Html } from "./shown.ts";

/** What somebody wrote in a form that was not taken, so that they need not write it again. */
export const OwnWords = ({ words }: { words: readonly string[] }): Html =>
  words.length === 0 ? (
    <></>
  ) : (
    <>
      <p>What you wrote is not lost; copy it from here:</p>
      {words.map((text, at) => (
        <textarea class="text" rows={8} readonly dir="auto" aria-label={`What you wrote, ${at + 1}`}>
          {`\n${text}`}
        </textarea>
      ))}
    </>
  );
