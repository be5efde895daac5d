/** Longest text of one field; what is longer keeps its beginning and its end. */
const longestText = 64_000;
const keptHead = 48_000;
const keptTail = 15_000;

/** The same value with every very long text cut in its middle; the cut says how much is missing. */
export function withShortTexts<Value>(value: Value): Value {
  return shortened(value) as Value;
}

function shortened(value: unknown): unknown {
  if (typeof value === 'string') return value.length <= longestText ? value : cut(value);
  if (Array.isArray(value)) return value.map(shortened);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, shortened(field)]));
}

function cut(text: string): string {
  const missing = text.length - keptHead - keptTail;
  return `${text.slice(0, keptHead)}\n… ${missing} characters are left out of this page …\n${text.slice(-keptTail)}`;
}
