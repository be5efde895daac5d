import { isNumeric, jsonEquals, showJson } from '../exact-json.ts';
import { isRecord } from '../json.ts';
import { codePointCount } from '../json-path-text.ts';
import { counted } from '../numbers.ts';
import { printable } from '../printable.ts';
import { hasFormat } from './formats.ts';
import type { Rule, Rules, Seen, Walk } from './rule.ts';

type Numeric = number | bigint;

function ofTexts<Wanted>(rule: (wanted: Wanted, text: string, seen: Seen, walk: Walk) => boolean): Rule {
  return (wanted: Wanted, seen, _schema, walk) =>
    typeof seen.value !== 'string' || rule(wanted, seen.value, seen, walk);
}

function ofNumbers(words: string, holds: (value: Numeric, wanted: Numeric) => boolean): Rule {
  return (wanted: unknown, seen) => {
    const { value } = seen;
    if (!isNumeric(value) || !isNumeric(wanted)) return true;
    return holds(value, wanted) || seen.fails(`is ${value}, not ${words} ${wanted}`);
  };
}

/** In draft 4 the limit stands in `minimum` or `maximum`, and the keyword only says that it is outside. */
function exclusive(words: string, limitOfDraft4: string, holds: (value: Numeric, wanted: Numeric) => boolean): Rule {
  const rule = ofNumbers(words, holds);
  return (wanted: unknown, seen, schema, walk) =>
    rule((wanted === true ? schema[limitOfDraft4] : wanted) as never, seen, schema, walk);
}

/** Keywords about single values. */
export const scalarRules: Rules = {
  type: (wanted: string | readonly string[], seen) => {
    const kind = kindOf(seen.value);
    if (wanted === kind || hasType(wanted, kind)) return true;
    return seen.fails(`is ${shown(seen.value)}, not ${[wanted].flat().join(' or ')}`);
  },
  enum: (allowed: readonly unknown[], seen, _schema, walk) =>
    allowed.some((value) => isEqual(value, seen.value, walk)) ||
    seen.fails(`is ${shown(seen.value)}, which is none of ${counted(allowed.length, 'allowed value')}`),
  const: (wanted: unknown, seen, _schema, walk) =>
    isEqual(wanted, seen.value, walk) || seen.fails(`is ${shown(seen.value)}, not ${shown(wanted)}`),
  minimum: ofNumbers('at least', (value, wanted) => value >= wanted),
  maximum: ofNumbers('at most', (value, wanted) => value <= wanted),
  exclusiveMinimum: exclusive('more than', 'minimum', (value, wanted) => value > wanted),
  exclusiveMaximum: exclusive('less than', 'maximum', (value, wanted) => value < wanted),
  multipleOf: ofNumbers('a multiple of', isMultiple),
  minLength: ofTexts((least: number, text, seen) => {
    const length = codePointCount(text);
    return length >= least || seen.fails(`has ${counted(length, 'character')}, fewer than ${least}`);
  }),
  maxLength: ofTexts((most: number, text, seen) => {
    const length = codePointCount(text);
    return length <= most || seen.fails(`has ${counted(length, 'character')}, more than ${most}`);
  }),
  pattern: ofTexts(
    (pattern: string, text, seen, walk) =>
      walk.matches(pattern, text) || seen.fails(`is ${shown(text)}, which does not match ${shown(pattern)}`),
  ),
  format: ofTexts(
    (format: string, text, seen) => hasFormat(format, text) || seen.fails(`is ${shown(text)}, which is no ${format}`),
  ),
};

function hasType(wanted: string | readonly string[], kind: string): boolean {
  const names = typeof wanted === 'string' ? [wanted] : wanted;
  return names.includes(kind) || (kind === 'integer' && names.includes('number'));
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (isRecord(value)) return 'object';
  if (isNumeric(value)) return typeof value === 'bigint' || Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

function isEqual(a: unknown, b: unknown, walk: Walk): boolean {
  return jsonEquals(a, b, () => walk.spend(1));
}

const tolerance = 4 * Number.EPSILON;

/** Decimal fractions are not what they seem in binary: 0.0075 is a multiple of 0.0001 to everybody who writes so. */
function isMultiple(value: Numeric, of: Numeric): boolean {
  if (typeof value === 'bigint' && (typeof of === 'bigint' || Number.isInteger(of))) return value % BigInt(of) === 0n;
  const quotient = Number(value) / Number(of);
  if (!Number.isFinite(quotient)) return Number(value) % Number(of) === 0;
  return Math.abs(quotient - Math.round(quotient)) <= tolerance * Math.abs(quotient);
}

const maxShown = 80;

function shown(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : 'an array';
  if (isRecord(value)) return 'an object';
  const text = printable(showJson(value));
  return text.length <= maxShown ? text : `${text.slice(0, maxShown)}…`;
}
