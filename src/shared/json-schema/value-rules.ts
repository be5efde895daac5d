import * as z from 'zod';
import { isNumeric, jsonEquals, showJson } from '../exact-json.ts';
import { counted } from '../format.ts';
import { isRecord } from '../json.ts';
import { codePointCount } from '../json-path/json-path-walk.ts';
import { lazySchema } from '../lazy-schema.ts';
import { printable, shorten } from '../text.ts';
import type { ReferenceKind, Rule, Rules, Seen, Walk } from './rule.ts';

function reference(kind: ReferenceKind): Rule {
  return (ref: string, seen, schema, walk) => seen.alsoFits(walk.referred(ref, schema, kind), walk);
}

/** Keywords that apply further schemas to the same value. */
export const combinationRules: Rules = {
  $ref: reference('static'),
  $dynamicRef: reference('dynamic'),
  $recursiveRef: reference('recursive'),
  allOf: (schemas: readonly unknown[], seen, _schema, walk) => {
    let isRight = true;
    for (const schema of schemas) {
      if (seen.alsoFits(schema, walk)) continue;
      isRight = false;
      if (seen.isSilent) return false;
    }
    return isRight;
  },
  anyOf: (schemas: readonly unknown[], seen, _schema, walk) => {
    if (schemas.length === 1) return seen.alsoFits(schemas[0], walk);
    const fits = (schema: unknown) => seen.alsoFits(schema, walk, seen.quietly());
    // Where it matters what was evaluated, all that fit have to be found.
    const isRight = seen.evaluated ? schemas.filter(fits).length > 0 : schemas.some(fits);
    return isRight || seen.fails(`fits none of ${counted(schemas.length, 'alternative')}`);
  },
  oneOf: (schemas: readonly unknown[], seen, _schema, walk) => {
    if (schemas.length === 1) return seen.alsoFits(schemas[0], walk);
    const fitting = schemas.filter((schema) => seen.alsoFits(schema, walk, seen.quietly())).length;
    return fitting === 1 || seen.fails(`fits ${fitting} of ${counted(schemas.length, 'alternative')}, not exactly one`);
  },
  not: (schema: unknown, seen, _schema, walk) =>
    !walk.accepts(schema, seen.quietly()) || seen.fails('fits a schema that it must not fit'),
  if: (schema: unknown, seen, { then: whenMet, else: otherwise }, walk) => {
    const chosen = seen.alsoFits(schema, walk, seen.quietly()) ? whenMet : otherwise;
    return chosen === undefined || seen.alsoFits(chosen, walk);
  },
};

/** No name, date or address is longer; what is would only cost time. */
const maxLength = 4_096;

const formats: ReadonlyMap<string, z.ZodType> = new Map<string, z.ZodType>([
  ['date', lazySchema(() => z.iso.date())],
  ['date-time', lazySchema(() => z.iso.datetime({ offset: true }))],
  ['duration', lazySchema(() => z.iso.duration())],
  ['email', lazySchema(() => z.email())],
  ['hostname', lazySchema(() => z.hostname())],
  ['ipv4', lazySchema(() => z.ipv4())],
  ['ipv6', lazySchema(() => z.ipv6())],
  ['uri', lazySchema(() => z.url())],
  ['uuid', lazySchema(() => z.guid())],
]);

/** Whether a text is what a `format` says; a format that is not known allows everything. */
function hasFormat(format: string, text: string): boolean {
  const check = formats.get(format);
  if (!check) return true;
  return text.length <= maxLength && check.safeParse(text).success;
}

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
    return seen.fails(`is ${describe(seen.value)}, not ${[wanted].flat().join(' or ')}`);
  },
  enum: (allowed: readonly unknown[], seen, _schema, walk) =>
    allowed.some((value) => isEqual(value, seen.value, walk)) ||
    seen.fails(`is ${describe(seen.value)}, which is none of ${counted(allowed.length, 'allowed value')}`),
  const: (wanted: unknown, seen, _schema, walk) =>
    isEqual(wanted, seen.value, walk) || seen.fails(`is ${describe(seen.value)}, not ${describe(wanted)}`),
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
      walk.matches(pattern, text) || seen.fails(`is ${describe(text)}, which does not match ${describe(pattern)}`),
  ),
  format: ofTexts(
    (format: string, text, seen) =>
      hasFormat(format, text) || seen.fails(`is ${describe(text)}, which is not a valid ${format}`),
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

/** Decimal fractions are not what they seem in binary: 0.0075 is a multiple of 0.0001 to its writer. */
function isMultiple(value: Numeric, of: Numeric): boolean {
  if (typeof value === 'bigint' && (typeof of === 'bigint' || Number.isInteger(of))) return value % BigInt(of) === 0n;
  const quotient = Number(value) / Number(of);
  if (!Number.isFinite(quotient)) return Number(value) % Number(of) === 0;
  return Math.abs(quotient - Math.round(quotient)) <= tolerance * Math.abs(quotient);
}

const maxShown = 80;

function describe(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : 'an array';
  if (isRecord(value)) return 'an object';
  return shorten(printable(showJson(value)), maxShown);
}
