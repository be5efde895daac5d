import { canonicalJson } from '../../shared/json.ts';

/** `temperature (0 became 0.7)`; undefined where nothing changed. */
export function changeOf(what: string, before: unknown, after: unknown): string | undefined {
  const [was, is] = [readableJson(before), readableJson(after)];
  if (was === is) return undefined;
  const start = Math.max(0, commonStart(was, is) - 20);
  return `${what} (${excerpt(was, start)} became ${excerpt(is, start)})`;
}

/** As JSON, in which a line break that was added can be seen. */
function readableJson(value: unknown): string {
  return value === undefined ? 'nothing' : withoutFenceNames(canonicalJson(value));
}

/** The name of a fence follows from the data behind it: it always changes with the data and adds no information. */
export function withoutFenceNames(text: string): string {
  return text.replace(/\bdata-[0-9a-f]{16}\b/g, 'data-…');
}

/** The surroundings of the first difference. */
function excerpt(text: string, start: number): string {
  const end = start + 60;
  return `${start > 0 ? '…' : ''}${text.slice(start, end)}${end < text.length ? '…' : ''}`;
}

/** How many characters are the same before the first difference. */
export function commonStart(a: string, b: string): number {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length++;
  return length;
}
