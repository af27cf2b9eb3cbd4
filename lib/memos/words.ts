/** Longest word that is indexed: hashes and encoded blobs are no words, and each would be a term of its own. */
const WORD_MAX_LENGTH = 64;

// Function words only. Words that are also commands or code ("show", "set", "find") stay.
const STOP_WORDS = new Set(
  `a about above after again all also am an and any are as at be because been before being below between both
  but by can could did do does doing don during each few for from further had has have having he her here hers
  him his how i if in into is isn it its itself just keep know ll let may me might more most must my no nor not of off on
  once only or other our ours out over own please re s same shall she should so some such t tell than that the their theirs
  them then there these they this those through to too under until up upon us ve very want was we were what when
  where whether which while who whom whose why will with would you your yours`.split(/\s+/),
);

const ASCII_WORD = /[a-z0-9]+/g;
const WORD = /[\p{L}\p{N}\p{M}]+/gu;
const MARKS = /\p{M}+/gu;
// Written without spaces: a run of these is found by its pairs of characters.
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
const NOT_ASCII = /[^\0-\x7f]/;

/** The words of a text in lower case and without accents; `.psqlrc` gives `psqlrc`. */
export function wordsOf(text: string): string[] {
  const lower = text.toLowerCase();
  if (!NOT_ASCII.test(lower)) return (lower.match(ASCII_WORD) ?? []).filter(isOfWordLength);
  const plain = lower.normalize("NFKD").replace(MARKS, "").normalize("NFC");
  return (plain.match(WORD) ?? [])
    .filter(isOfWordLength)
    .flatMap((word) => (UNSPACED.test(word) ? pairsOf(word) : word));
}

const isOfWordLength = (word: string): boolean => word.length <= WORD_MAX_LENGTH;

export const isStopWord = (word: string): boolean => STOP_WORDS.has(word);

/**
 * What a word and its plural, its -ing and its -ed form have in common. Light on purpose: what stays of a word is
 * at least four letters, so `setting` is not `set`.
 */
export function stemOf(word: string): string {
  if (word.length < 4 || NOT_ASCII.test(word)) return word;
  const singular = singularOf(word);
  return withoutLastE(withoutEnding(singular, "ing") ?? withoutEnding(singular, "ed") ?? singular);
}

function singularOf(word: string): string {
  if (!word.endsWith("s") || /(?:ss|us|is)$/.test(word)) return word;
  if (word.endsWith("ies") && word.length > 4) return `${word.slice(0, -3)}y`;
  if (/(?:x|ch|sh|ss|zz)es$/.test(word)) return word.slice(0, -2);
  return word.slice(0, -1);
}

function withoutEnding(word: string, ending: string): string | undefined {
  if (!word.endsWith(ending) || word.endsWith("eed")) return undefined;
  const rest = word.slice(0, -ending.length);
  const last = rest.at(-1) ?? "";
  const isDoubled = last === rest.at(-2) && !/[aeioulsz]/.test(last);
  const stem = isDoubled ? rest.slice(0, -1) : rest;
  return stem.length >= 4 && /[aeiouy]/.test(stem) ? stem : undefined;
}

const withoutLastE = (word: string): string =>
  word.length > 4 && word.endsWith("e") ? word.slice(0, -1) : word;

function pairsOf(word: string): string[] {
  const characters = [...word];
  if (characters.length === 1) return characters;
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}

// Names for the same thing, so that a question in one finds a note in the other. Few, and only where a reader
// would not notice the difference.
const SAME = [
  ["psql", "postgres", "postgresql"],
  ["setting", "config", "configuration", "preference"],
  ["js", "javascript"],
  ["ts", "typescript"],
  ["k8s", "kubernetes"],
  ["db", "database"],
  ["repo", "repository"],
  ["dir", "directory", "folder"],
  ["env", "environment"],
  ["undo", "revert", "restore"],
  ["delete", "remove"],
].map((names) => names.map(stemOf));
const SAME_AS = new Map(SAME.flatMap((names) => names.map((name) => [name, names] as const)));

/** Other stems for what a stem names; none for most. */
export const alsoCalled = (stem: string): readonly string[] =>
  (SAME_AS.get(stem) ?? []).filter((other) => other !== stem);

/** Whether one is the other with a letter wrong, missing, extra or swapped with its neighbour; two from 8 letters on. */
export function misspelling(word: string, other: string): boolean {
  const limit = word.length >= 8 ? 2 : 1;
  if (Math.abs(word.length - other.length) > limit) return false;
  let before: number[] = [];
  let previous = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= word.length; i++) {
    const row = [i];
    for (let j = 1; j <= other.length; j++) {
      const isSame = word[i - 1] === other[j - 1];
      let cost = Math.min(previous[j]! + 1, row[j - 1]! + 1, previous[j - 1]! + (isSame ? 0 : 1));
      const isSwapped = i > 1 && j > 1 && word[i - 1] === other[j - 2] && word[i - 2] === other[j - 1];
      if (isSwapped) cost = Math.min(cost, before[j - 2]! + 1);
      row.push(cost);
    }
    before = previous;
    previous = row;
  }
  return previous[other.length]! <= limit;
}
