import { isRecord } from '../../../../shared/json.ts';

/** A filter of nunjucks. */
interface Filter {
  /** Most arguments that are supported. */
  readonly args: number;
  /** True where a missing value has a result. */
  readonly takesMissing?: true;
  apply(value: unknown, ...args: readonly unknown[]): unknown;
}

/** A filter without arguments, to which null and false are an empty text. */
const plain = (apply: (value: unknown) => unknown): Filter => ({
  args: 0,
  apply: (value) => apply(value === null || value === false ? '' : value),
});

/** A value as it is written into a text. */
export function textOf(value: unknown): string {
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  return JSON.stringify(value) ?? '';
}

function capitalized(text: string): string {
  return text.replace(/^(.)(.*)$/s, (_, first, rest) => first.toUpperCase() + rest.toLowerCase());
}

/** Of numbers and truth values, nothing: they have neither a length nor items. */
function lengthOf(value: unknown): number | '' {
  if (Array.isArray(value) || typeof value === 'string') return value.length;
  if (isRecord(value)) return Object.keys(value).length;
  return value === undefined || value === null ? 0 : '';
}

function itemsOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return typeof value === 'string' ? [...value] : [];
}

function numberOr(value: number): number | '' {
  return Number.isNaN(value) ? '' : value;
}

const withDefault: Filter = {
  args: 2,
  takesMissing: true,
  apply: (value, other, isLoose) => (isLoose ? value || other : value === undefined ? other : value),
};

/** The filters that are supported; each as nunjucks 3 has it. */
export const filters: Readonly<Record<string, Filter>> = {
  abs: plain((value) => Math.abs(Number(value))),
  capitalize: plain((value) => capitalized(textOf(value))),
  d: withDefault,
  default: withDefault,
  dump: { args: 1, apply: (value, spaces) => JSON.stringify(value, null, spaces as number) ?? '' },
  first: plain((value) => itemsOf(value)[0] ?? ''),
  float: plain((value) => numberOr(Number.parseFloat(String(value)))),
  int: plain((value) => numberOr(Number.parseInt(String(value), 10))),
  join: {
    args: 2,
    apply: (value, separator = '', key = undefined) =>
      (Array.isArray(value) ? value : [])
        .map((item) => textOf(key === undefined ? item : isRecord(item) ? item[String(key)] : ''))
        .join(String(separator)),
  },
  last: plain((value) => itemsOf(value).at(-1) ?? ''),
  length: { args: 0, takesMissing: true, apply: lengthOf },
  lower: plain((value) => textOf(value).toLowerCase()),
  replace: {
    args: 2,
    apply: (value, from, to) =>
      typeof value === 'string' ? value.replaceAll(String(from), () => String(to)) : (value ?? ''),
  },
  reverse: plain((value) => (Array.isArray(value) ? value.toReversed() : itemsOf(value).toReversed().join(''))),
  safe: plain((value) => value),
  string: plain((value) => textOf(value)),
  title: plain((value) => textOf(value).split(' ').map(capitalized).join(' ')),
  trim: plain((value) => textOf(value).trim()),
  upper: plain((value) => textOf(value).toUpperCase()),
  urlencode: plain((value) => (typeof value === 'string' ? encodeURIComponent(value) : '')),
};
