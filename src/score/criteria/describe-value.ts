const maxTextLength = 60;

/** Says what a value is in a few words: scalars in full, long texts cut, arrays and objects by their kind. */
export function describeValue(value: unknown): string {
  if (typeof value === 'string') return quote(value);
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : 'an array';
  if (typeof value === 'object' && value !== null) return 'an object';
  return Object.is(value, -0) ? '-0' : String(value);
}

/** Quotes a text with single quotes on one line, cut at 60 characters. */
function quote(text: string): string {
  const kept = text.length > maxTextLength ? `${text.slice(0, maxTextLength)}…` : text;
  return `'${kept.replace(/[\u0000-\u001f\u007f]/g, escapeControl)}'`;
}

const controlEscapes: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function escapeControl(character: string): string {
  return controlEscapes[character] ?? `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
}

/** Names the type of a value with its article: `a number`, `an array`, `undefined`. */
export function describeType(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** Counts things: `1 item`, `3 items`. */
export function countOf(count: number, singular: string): string {
  return `${count} ${singular}${count === 1 ? '' : 's'}`;
}
