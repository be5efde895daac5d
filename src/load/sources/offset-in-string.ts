/**
 * Offset of a character (from 1) of a string value whose source text starts at `start`: exact where the source spells
 * the value on one line, else the start of the string.
 */
export function offsetInString(text: string, start: number, value: string, character: number): number {
  const quote = text[start];
  if (quote !== '"' && quote !== "'") return text.startsWith(value, start) ? start + character - 1 : start;
  let at = start + 1;
  for (let passed = 1; passed < character; passed++) {
    if (at >= text.length || text[at] === '\n') return start;
    at += spellingLength(text, at, quote);
  }
  return at;
}

/** How many characters of the source spell the one character of the value that stands at an offset. */
function spellingLength(text: string, at: number, quote: string): number {
  if (quote === "'") return text[at] === "'" ? 2 : 1;
  if (text[at] !== '\\') return 1;
  const digits = { x: 2, u: 4, U: 8 }[text[at + 1] ?? ''] ?? 0;
  return 2 + digits;
}
