import { isRecord } from '../../../../shared/json.ts';

/** A filter of nunjucks. */
interface Filter {
  /** Most arguments that are supported. */
  readonly args: number;
  /** True where a missing value has a result. */
  readonly takesMissing?: true;
  apply(value: unknown, ...args: readonly unknown[]): unknown;
}

const plain = (apply: Filter['apply']): Filter => ({ args: 0, apply });

/** A value as it is written into a text. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

function capitalized(text: string): string {
  return text.replace(/^(.)(.*)$/s, (_, first, rest) => first.toUpperCase() + rest.toLowerCase());
}

function lengthOf(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  return isRecord(value) ? Object.keys(value).length : textOf(value).length;
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
  first: plain((value) => (Array.isArray(value) ? value[0] : textOf(value)[0])),
  float: plain((value) => Number.parseFloat(textOf(value)) || 0),
  int: plain((value) => Number.parseInt(textOf(value), 10) || 0),
  join: {
    args: 2,
    apply: (value, separator = '', key = undefined) =>
      (Array.isArray(value) ? value : [])
        .map((item) => textOf(key === undefined ? item : isRecord(item) ? item[String(key)] : ''))
        .join(String(separator)),
  },
  last: plain((value) => (Array.isArray(value) ? value.at(-1) : textOf(value).at(-1))),
  length: { args: 0, takesMissing: true, apply: (value) => (value === undefined ? 0 : lengthOf(value)) },
  lower: plain((value) => textOf(value).toLowerCase()),
  replace: {
    args: 2,
    apply: (value, from, to) => textOf(value).replaceAll(String(from), () => String(to)),
  },
  reverse: plain((value) => (Array.isArray(value) ? value.toReversed() : [...textOf(value)].reverse().join(''))),
  safe: plain((value) => value),
  string: plain((value) => textOf(value)),
  title: plain((value) => textOf(value).split(' ').map(capitalized).join(' ')),
  trim: plain((value) => textOf(value).trim()),
  upper: plain((value) => textOf(value).toUpperCase()),
  urlencode: plain((value) => encodeURIComponent(textOf(value))),
};
