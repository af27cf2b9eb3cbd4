/**
 * Shapes of credentials that have no place in a memo. Prefixes are those the issuers document. Each begins where a
 * word does and is bounded, so that a long line is read once.
 */
const SECRETS: readonly { what: string; pattern: RegExp }[] = [
  { what: "an AWS access key id", pattern: /(?<![A-Za-z0-9])(?:AKIA|ASIA)[0-9A-Z]{16}(?![0-9A-Za-z])/ },
  {
    what: "an AWS secret key",
    pattern:
      /secret_?access_?key["'`*]{0,4}\s{0,20}[:=]\s{0,20}["'`*]{0,4}[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+])/i,
  },
  { what: "a GitHub token", pattern: /(?<![A-Za-z0-9])(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_\w{40,})/ },
  {
    what: "a GitLab token",
    pattern: /(?<![A-Za-z0-9])gl(?:pat|ptt|dt|rt|cbt|ft|soat|agent|imt)-[A-Za-z0-9_-]{20,}/,
  },
  { what: "an npm token", pattern: /(?<![A-Za-z0-9])npm_[A-Za-z0-9]{36}(?![A-Za-z0-9])/ },
  { what: "a Hugging Face token", pattern: /(?<![A-Za-z0-9])hf_[A-Za-z0-9]{30,}/ },
  {
    what: "a Slack token",
    pattern:
      /(?<![A-Za-z0-9])xox[abeoprs]-[A-Za-z0-9-]{10,}|hooks\.slack\.com\/services\/T\w+\/B\w+\/\w{16,}/,
  },
  { what: "a Google API key", pattern: /(?<![A-Za-z0-9])AIza[0-9A-Za-z_-]{35}(?![0-9A-Za-z_-])/ },
  { what: "a Stripe key", pattern: /(?<![A-Za-z0-9])[sr]k_live_[A-Za-z0-9]{16,}/ },
  { what: "an API key of this system", pattern: /(?<![A-Za-z0-9])mk_[A-Za-z0-9]+_[A-Za-z0-9_-]{20,}/ },
  // Keys have digits; a name with hyphens that begins so has none.
  { what: "a model provider's key", pattern: /(?<![A-Za-z0-9_])sk-(?=[A-Za-z_-]{0,60}\d)[A-Za-z0-9_-]{20,}/ },
  {
    what: "a signed token",
    pattern: /(?<![\w-])eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}/,
  },
  // What stands for a password in a document (`<password>`, `${PASSWORD}`, `***`) is none.
  {
    what: "an address with a password",
    pattern: /(?<=[A-Za-z0-9+.-]):\/\/[^\s/?#:@]*:(?![<$*{…]|\.\.\.)[^\s/?#@]+@[^\s/?#@]/,
  },
  { what: "a private key", pattern: /-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----/ },
];

/**
 * What kind of credential stands in a line; undefined when none does. Characters that are drawn as nothing do not
 * count: one in the middle of a key is found by nobody and taken out by whoever uses it.
 */
export function secretIn(line: string): string | undefined {
  const plain = line.replaceAll(/\p{DI}|(?!\t)\p{Cc}/gu, "");
  return SECRETS.find(({ pattern }) => pattern.test(plain))?.what;
}
