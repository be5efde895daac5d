/** Origin of the figures and their error, for those who read them. */
export const estimateMethod = {
  tokenizer: 'estimate of o200k_base',
  error:
    'against o200k_base on 196 tools of 13 public servers, in English: within 7 % for 95 % of the tools, within 8 % for each server; other languages and other tokenizers were not measured',
} as const;

const wordLetters = 16;
const lettersPerFurtherToken = 8;
const symbolsPerToken = 4;
const digitsPerToken = 3;
/** Of alphabets such as Cyrillic, and of signs such as those of Chinese, from here on. */
const tokensPerOtherLetter = 0.35;
const tokensPerSign = 0.65;
const firstSign = 0x2e80;
const space = 0x20;
const lastAscii = 0x7f;

/**
 * About how many tokens a text takes. Tokenizers split a text into words, numbers, runs of symbols and white space
 * first; most words are one token, and a space belongs to the word after it.
 */
export function estimateTokens(text: string): number {
  let tokens = 0;
  let at = 0;
  while (at < text.length) {
    const end = endOfPiece(text, at);
    tokens += pieceTokens(text, at, end);
    at = end;
  }
  return Math.ceil(tokens);
}

function pieceTokens(text: string, from: number, to: number): number {
  const code = text.charCodeAt(from);
  const length = to - from;
  if (isLower(code) || isUpper(code)) return 1 + Math.max(0, (length - wordLetters) / lettersPerFurtherToken);
  if (isDigit(code)) return Math.ceil(length / digitsPerToken);
  if (isSpace(code)) return length === 1 && code === space ? 0 : 1;
  if (code <= lastAscii) return Math.max(1, length / symbolsPerToken);
  return length * (code < firstSign ? tokensPerOtherLetter : tokensPerSign);
}

/** Where the piece that begins here ends: `HTTPServer` is `HTTPS` and `erver`, `getUser` is `get` and `User`. */
function endOfPiece(text: string, from: number): number {
  const code = text.charCodeAt(from);
  if (isLower(code)) return endOfRun(text, from + 1, isLower);
  if (isUpper(code)) return endOfRun(text, from + 1, isLower(text.charCodeAt(from + 1)) ? isLower : isUpper);
  if (isDigit(code)) return endOfRun(text, from + 1, isDigit);
  if (isSpace(code)) return endOfRun(text, from + 1, isSpace);
  return code > lastAscii ? endOfRun(text, from + 1, isOther) : endOfRun(text, from + 1, isSymbol);
}

function endOfRun(text: string, from: number, belongs: (code: number) => boolean): number {
  let at = from;
  while (at < text.length && belongs(text.charCodeAt(at))) at++;
  return at;
}

function isLower(code: number): boolean {
  return code >= 0x61 && code <= 0x7a;
}

function isUpper(code: number): boolean {
  return code >= 0x41 && code <= 0x5a;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function isSpace(code: number): boolean {
  return code === space || (code >= 0x09 && code <= 0x0d);
}

function isOther(code: number): boolean {
  return code > lastAscii;
}

function isSymbol(code: number): boolean {
  return code <= lastAscii && !isLower(code) && !isUpper(code) && !isDigit(code) && !isSpace(code);
}
