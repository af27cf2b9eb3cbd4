/** Words that say nothing about what a text is on, with those of asking and of writing. */
const STOP = new Set(
  (
    "a about above after again all also am an and any are as at be because been before being below between both " +
    "but by can could did do does doing don down during each either else ever every few for from further get go " +
    "got had has have having he her here hers him his how however i if in into is isn it its itself just keep let " +
    "like made make many may me might more most much must my need no nor not nothing now of off on once one only " +
    "or other our out over own per put rather same see shall she should so some such take than that the their " +
    "them then there these they thing this those through to too under until up us use used using very want was " +
    "way we well were what when where whether which while who whom why will with within without would yet you your"
  ).split(" "),
);

const WORD = /[\p{L}\p{N}]+(?:['’][\p{L}]+)?/gu;

/** The words of a text as they stand, without stop words, each once and in order. */
export function contentWords(text: string): string[] {
  const words = text.normalize("NFC").match(WORD) ?? [];
  const kept = new Map<string, string>();
  for (const word of words) {
    const term = stem(word.toLowerCase());
    if (term !== undefined && !kept.has(term)) kept.set(term, word);
  }
  return [...kept.values()];
}

/** The terms of a text for counting: lower case, without stop words, endings taken off. */
export function termsOf(text: string): string[] {
  const words = text.normalize("NFKC").toLowerCase().match(WORD) ?? [];
  return words.map(stem).filter((term) => term !== undefined);
}

/** The number of words as a person counts them. */
export const wordCount = (text: string): number => text.match(/[^\s]+/g)?.length ?? 0;

/** A light stem: plural, -ing and -ed go, a doubled consonant is undone (forgetting → forget). */
function stem(word: string): string | undefined {
  const bare = word.replace(/['’]\p{L}+$/u, "");
  if (bare.length < 2 || STOP.has(bare)) return undefined;
  let root = bare;
  if (root.length > 4 && root.endsWith("ies")) root = `${root.slice(0, -3)}y`;
  else if (root.length > 3 && root.endsWith("s") && !/(?:ss|us|is)$/.test(root)) root = root.slice(0, -1);
  const cut = /^(.{4,})(?:ing|ed)$/.exec(root)?.[1];
  if (cut !== undefined) root = cut.replace(/([^aeiouls])\1$/, "$1");
  // expire and expiry, cache and caching: the last vowel tells no two words apart that matter here.
  return root.length > 4 ? root.replace(/[ey]$/, "") : root;
}
