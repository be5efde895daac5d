/** Tokens that providers add by themselves: roles, preambles of tools, wrapped schemas. */
const overheadTokens = 1_000;
/** For tokenisers that cut finer than usual. */
const reserve = 1.1;

/** More letters in a row are seldom a word, and have more tokens. */
const longestWord = 12;

/** Parts of a text that no tokeniser joins: words as they are written in camel case, digits, long spaces, signs, other letters. */
const parts = /[A-Z]?[a-z]+|[A-Z]+|\d|\s{2,}|[!-/:-@[-`{-~]+|[^\0-\x7f]+/g;

/**
 * More tokens than a text has for the tokenisers of providers, without having theirs: four letters of a word are one
 * token, each digit is one, and signs come in pairs. English and code get about a half more than they
 * have; encoded data, whose letters change their case all the time, nearly one token for each character. A fraction: the
 * sum over the pieces of a text is close to the figure of the whole.
 */
export function mostTokens(text: string): number {
  let tokens = 0;
  for (const [part] of text.matchAll(parts)) {
    const first = part.charCodeAt(0);
    if (first > 0x7f) tokens += Math.ceil(part.length * 1.5);
    else if (/[A-Za-z]/.test(part)) tokens += Math.ceil(part.length / (part.length > longestWord ? 2 : 4));
    else tokens += Math.ceil(part.length / 2);
  }
  return Math.min(tokens * reserve, Buffer.byteLength(text));
}

/** The most tokens that a request with this text has. */
export function mostInputTokens(text: string): number {
  return Math.ceil(mostTokens(text)) + overheadTokens;
}
