const mayHoldUnsafeInteger = /\d{16}/;
const numeral = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
/** Longer integers are numbers like others, not compared digit by digit. */
const maxExactDigits = 1_000;

/** Whether one value is an integer whose digits a trace kept, and the other the number that has lost the last of them. */
export function isSameInteger(a: unknown, b: unknown): boolean {
  if (typeof a === 'string') return (typeof b === 'number' || typeof b === 'bigint') && isDigits(a) && +a === Number(b);
  return typeof b === 'string' && isSameInteger(b, a);
}

/** The data with numbers in the place of integers whose digits a trace kept. */
export function withNumbers(data: unknown): unknown {
  if (typeof data === 'string') return isDigits(data) ? Number(data) : data;
  if (Array.isArray(data)) return data.map(withNumbers);
  if (typeof data !== 'object' || data === null) return data;
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, withNumbers(value)]));
}

function isDigits(value: string): boolean {
  return /^-?\d{16,}$/.test(value) && !Number.isSafeInteger(Number(value));
}

/** JSON whose integers beyond the precision of a number are texts after the mark; the same text where it has none. */
export function markUnsafeIntegers(json: string, mark: string): string {
  if (!mayHoldUnsafeInteger.test(json)) return json;
  const betweenStrings = /[^"]+/y;
  const parts: string[] = [];
  for (let at = 0; at < json.length; ) {
    betweenStrings.lastIndex = at;
    const isString = !betweenStrings.test(json);
    const end = isString ? endOfString(json, at) : betweenStrings.lastIndex;
    const part = json.slice(at, end);
    parts.push(
      isString ? part : part.replace(numeral, (token) => (isUnsafeInteger(token) ? `"${mark}${token}"` : token)),
    );
    at = end;
  }
  return parts.join('');
}

function endOfString(json: string, start: number): number {
  let at = start + 1;
  while (at < json.length && json[at] !== '"') at += json[at] === '\\' ? 2 : 1;
  return at + 1;
}

function isUnsafeInteger(token: string): boolean {
  return token.length <= maxExactDigits && /^-?\d+$/.test(token) && !Number.isSafeInteger(Number(token));
}
