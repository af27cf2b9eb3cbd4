/** The words of a DynamoDB expression, read one by one. */
export type Tokens = {
  peek(): string | undefined;
  next(): string;
  /** Takes the word when it is the next one. */
  take(word: string): boolean;
  expect(word: string): void;
};

const WORD = /#\w+|:\w+|\w+|<>|<=|>=|[=<>(),.+-]/g;

export function tokensOf(expression: string): Tokens {
  const words = expression.match(WORD) ?? [];
  let at = 0;
  const is = (word: string) => words[at]?.toUpperCase() === word.toUpperCase();
  return {
    peek: () => words[at],
    next() {
      const word = words[at++];
      if (word === undefined) throw new Error(`the expression ends too early: ${expression}`);
      return word;
    },
    take(word) {
      if (!is(word)) return false;
      at++;
      return true;
    },
    expect(word) {
      if (!this.take(word)) throw new Error(`expected ${word} before ${words[at]} in: ${expression}`);
    },
  };
}

/** A path as its segments, still under their placeholders: `#n0.#n1`. */
export function pathOf(tokens: Tokens): readonly string[] {
  const path = [tokens.next()];
  while (tokens.take(".")) path.push(tokens.next());
  return path;
}

/** A list with commas in between. */
export function listOf<T>(tokens: Tokens, one: () => T): T[] {
  const items = [one()];
  while (tokens.take(",")) items.push(one());
  return items;
}
