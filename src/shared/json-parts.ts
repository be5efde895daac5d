/** Each bracket costs a search for its end, over as many characters as the text may have. */
const mostCharacters = 5_000_000;
const mostParts = 100;

/** The outermost JSON objects and lists in a text, in order. */
export function jsonPartsOf(text: string): unknown[] {
  const parts: unknown[] = [];
  const start = /[[{]/g;
  for (let searched = 0; searched < mostCharacters && parts.length < mostParts; searched += text.length) {
    const match = start.exec(text);
    if (!match) break;
    const end = endOf(text, match.index);
    const part = end === undefined ? undefined : parsed(text.slice(match.index, end));
    if (end === undefined || part === undefined) continue;
    parts.push(part.value);
    start.lastIndex = end;
  }
  return parts;
}

/** The position after the bracket that closes the one at a position; brackets in texts do not count. */
function endOf(text: string, from: number): number | undefined {
  let depth = 0;
  let isQuoted = false;
  for (let at = from; at < text.length; at++) {
    const character = text[at];
    if (isQuoted && character === '\\') at++;
    else if (character === '"') isQuoted = !isQuoted;
    else if (!isQuoted && (character === '{' || character === '[')) depth++;
    else if (!isQuoted && (character === '}' || character === ']') && --depth === 0) return at + 1;
  }
  return undefined;
}

function parsed(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}
