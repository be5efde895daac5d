import { AssayError } from '../../../../domain/errors.ts';
import { jsonEquals, showJson } from '../../../../shared/exact-json.ts';
import { isRecord } from '../../../../shared/json.ts';
import { compileJsonSchema, type JsonSchema } from '../../../../shared/json-schema/json-schema.ts';
import { TooMuchWork } from '../../../../shared/json-schema/references.ts';
import { compileTextPattern, UnusablePattern } from '../../../../shared/patterns.ts';
import { shortened } from '../../gates/checks/excerpt.ts';
import { isValueMatcher, type ValueMatcher } from '../value-matcher.ts';

/** Says what is wrong with a value at some place; undefined when it is as wanted. */
export type Difference = (value: unknown, place: string) => string | undefined;

/** Makes the description of arguments ready: those that it names must be there and fit. */
export function compileArguments(args: Readonly<Record<string, unknown>>, noOthers = false): Difference {
  const fields = Object.entries(args).map(([name, wanted]) => [name, compileWanted(wanted)] as const);
  return (value, place) => {
    if (!isRecord(value)) return `${place} is ${shown(value)}, wanted an object`;
    const other = noOthers ? Object.keys(value).find((name) => !Object.hasOwn(args, name)) : undefined;
    if (other !== undefined) return `${placeOf(place, other)} is not wanted`;
    for (const [name, difference] of fields) {
      const found = difference(Object.hasOwn(value, name) ? value[name] : undefined, placeOf(place, name));
      if (found !== undefined) return found;
    }
    return undefined;
  };
}

/** Makes the description of one value ready. */
export function compileMatcher(matcher: ValueMatcher): Difference {
  const { present, ...words } = matcher;
  const checks = Object.entries(words).flatMap(([word, wanted]) =>
    wanted === undefined ? [] : [checkFor(word as keyof typeof words, wanted)],
  );
  return (value, place) => {
    if (value === undefined && present === false) return undefined;
    if (value === undefined) return `${place} is missing`;
    if (present === false) return `${place} is ${shown(value)}, wanted none`;
    return firstOf(checks, value, place);
  };
}

function compileWanted(wanted: unknown): Difference {
  if (isValueMatcher(wanted)) return compileMatcher(wanted);
  return isRecord(wanted) ? compileArguments(wanted) : compileMatcher({ equals: wanted });
}

function checkFor(word: keyof Omit<ValueMatcher, 'present'>, wanted: unknown): Difference {
  if (word === 'matches') return patternCheck(String(wanted));
  if (word === 'schema') return schemaCheck(compileJsonSchema(wanted));
  if (word === 'equals') return saying((value) => jsonEquals(wanted, value), showJson(wanted));
  if (word === 'contains')
    return saying((value) => contains(value, wanted), `something with ${showJson(wanted)} in it`);
  const compare = comparisons[word];
  const limit = Number(wanted);
  return saying((value) => typeof value === 'number' && compare(value, limit), `a number ${word} ${limit}`);
}

const comparisons: Readonly<Record<'gt' | 'gte' | 'lt' | 'lte', (value: number, limit: number) => boolean>> = {
  gt: (value, limit) => value > limit,
  gte: (value, limit) => value >= limit,
  lt: (value, limit) => value < limit,
  lte: (value, limit) => value <= limit,
};

function saying(isRight: (value: unknown) => boolean, wanted: string): Difference {
  return (value, place) => (isRight(value) ? undefined : `${place} is ${shown(value)}, wanted ${shortened(wanted)}`);
}

/** An item of a list, or a part of the text that a value is or is written as. */
function contains(value: unknown, wanted: unknown): boolean {
  if (Array.isArray(value) && value.some((item) => jsonEquals(wanted, item))) return true;
  return typeof wanted === 'string' && textOf(value).includes(wanted);
}

function patternCheck(pattern: string): Difference {
  const compiled = compileTextPattern(pattern);
  const check = saying((value) => compiled.occursIn(textOf(value)), `a match of /${pattern}/`);
  return (value, place) => usable(() => check(value, place), `/${shortened(pattern)}/`);
}

function schemaCheck(schema: JsonSchema): Difference {
  return (value, place) => {
    const [problem] = usable(() => schema.problemsIn(value), 'The schema');
    return problem === undefined ? undefined : `${place} is not valid against the schema: ${shortened(problem)}`;
  };
}

/** What takes too much work neither fits nor does not. */
function usable<Found>(look: () => Found, what: string): Found {
  try {
    return look();
  } catch (error) {
    if (!(error instanceof TooMuchWork || error instanceof UnusablePattern)) throw error;
    throw new AssayError('CRITERION_UNUSABLE', `${what} cannot be used here: ${error.message}`);
  }
}

function firstOf(checks: readonly Difference[], value: unknown, place: string): string | undefined {
  for (const check of checks) {
    const found = check(value, place);
    if (found !== undefined) return found;
  }
  return undefined;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : showJson(value);
}

function shown(value: unknown): string {
  return value === undefined ? 'missing' : shortened(showJson(value));
}

function placeOf(place: string, name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? `${place}.${name}` : `${place}[${JSON.stringify(name)}]`;
}
