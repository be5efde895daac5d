import { AssayError } from '../../../../domain/errors.ts';
import type { ObservedCall } from '../../../../domain/tools/tool-calls.ts';
import { meaningOfResult } from '../../../../domain/tools/tool-meaning.ts';
import { composed } from '../../../../shared/composed-text.ts';
import { jsonEquals, showJson } from '../../../../shared/exact-json.ts';
import { isRecord } from '../../../../shared/json.ts';
import { compileJsonSchema, type JsonSchema } from '../../../../shared/json-schema/json-schema.ts';
import { TooMuchWork } from '../../../../shared/json-schema/walk.ts';
import { compileTextPattern, UnusablePattern } from '../../../../shared/patterns.ts';
import { compileCriterion, unusableCriterion } from '../../../criteria/index.ts';
import { channelView } from '../../channel-view.ts';
import type { EvaluationContext } from '../../evaluator.ts';
import { shortened } from '../../excerpt.ts';
import { isValueMatcher, type ValueMatcher } from './value-matcher.ts';

interface ExpectedCall {
  readonly args?: Readonly<Record<string, unknown>> | undefined;
  readonly noOtherArgs?: boolean;
  readonly schema?: unknown;
  readonly criteria?: readonly string[];
}

/** Returns why a call is not as expected; undefined when it is. */
type CallTest = (call: ObservedCall, context: EvaluationContext) => string | undefined;

/** Compiles the expectations of a call's arguments. */
export function compileCallTest({ args, noOtherArgs = false, schema, criteria = [] }: ExpectedCall): CallTest {
  const checks: Difference[] = [
    ...(args || noOtherArgs ? [compileArguments(args ?? {}, noOtherArgs)] : []),
    ...(schema === undefined ? [] : [compileMatcher({ schema: schema as boolean })]),
  ];
  const judge = compileCriteria(criteria);
  return (call, context) => {
    for (const check of checks) {
      const difference = check(call.input, 'input');
      if (difference !== undefined) return difference;
    }
    return judge(call, context);
  };
}

/** Criteria that must all be true of a call. */
function compileCriteria(sources: readonly string[]): CallTest {
  const criteria = sources.map((source) => compileCriterion(source));
  return (call, { trial, recordRead = () => {} }) => {
    if (criteria.length === 0) return undefined;
    const { input, error } = call;
    const facts = { input, error, result: callMeaning(call), expected: trial.case.expected };
    const scope = channelView(facts, { result: 'tool-results', error: 'tool-results' }, recordRead);
    for (const criterion of criteria) {
      const answer = criterion.answer(scope);
      if (answer.state === 'unusable') throw unusableCriterion(answer.defect);
      if (answer.state === 'not-met') return shortened(answer.explanation('pass'));
    }
    return undefined;
  };
}

/** Compiles the expectations of a result. A failed call has none to match; criteria may inspect its error. */
export function compileResultTest(criteria: readonly string[], words: ValueMatcher): CallTest {
  const difference = compileMatcher(words);
  const hasWords = Object.values(words).some((word) => word !== undefined);
  const judge = compileCriteria(criteria);
  return (call, context) => {
    if (hasWords && call.error) return `it failed: ${shortened(call.error.message)}`;
    const found = hasWords ? difference(callMeaning(call), 'result') : undefined;
    return found ?? judge(call, context);
  };
}

/** Result of a call: of an MCP result its meaning, of a text that is JSON its data. */
function callMeaning({ result }: Pick<ObservedCall, 'result'>): unknown {
  if (typeof result === 'string') return meaningOfResult({ content: [{ type: 'text', text: result }] });
  return isEnvelope(result) ? meaningOfResult(result) : result;
}

function isEnvelope(result: unknown): boolean {
  if (!isRecord(result) || !Array.isArray(result.content)) return false;
  return result.content.every((block: unknown) => isRecord(block) && typeof block.type === 'string');
}

/** Returns how the value at a place differs from the expected one; undefined when it matches. */
export type Difference = (value: unknown, place: string) => string | undefined;

/** Every argument that is described must be present and match. */
export function compileArguments(args: Readonly<Record<string, unknown>>, noOthers = false): Difference {
  const fields = Object.entries(args).map(([name, wanted]) => [name, compileWanted(wanted)] as const);
  return (value, place) => {
    if (!isRecord(value)) return `${place} is ${valueText(value)}, wanted an object`;
    const other = noOthers ? Object.keys(value).find((name) => !Object.hasOwn(args, name)) : undefined;
    if (other !== undefined) return `${placeOf(place, other)} is not wanted`;
    for (const [name, difference] of fields) {
      const found = difference(Object.hasOwn(value, name) ? value[name] : undefined, placeOf(place, name));
      if (found !== undefined) return found;
    }
    return undefined;
  };
}

function compileMatcher(matcher: ValueMatcher): Difference {
  const { present, ...words } = matcher;
  const checks = Object.entries(words).flatMap(([word, wanted]) =>
    wanted === undefined ? [] : [checkFor(word as keyof typeof words, wanted)],
  );
  return (value, place) => {
    if (value === undefined && present === false) return undefined;
    if (value === undefined) return `${place} is missing`;
    if (present === false) return `${place} is ${valueText(value)}, wanted none`;
    return firstOf(checks, value, place);
  };
}

/** Compiles what is wanted of a value: a matcher, an object with at least these fields, or the value itself. */
export function compileWanted(wanted: unknown): Difference {
  if (isValueMatcher(wanted)) return compileMatcher(wanted);
  return isRecord(wanted) ? compileArguments(wanted) : compileMatcher({ equals: wanted });
}

function checkFor(word: keyof Omit<ValueMatcher, 'present'>, wanted: unknown): Difference {
  if (word === 'matches') return patternCheck(String(wanted));
  if (word === 'schema') return schemaCheck(compileJsonSchema(wanted));
  if (word === 'equals') return describing((value) => jsonEquals(wanted, value), showJson(wanted));
  if (word === 'contains')
    return describing((value) => contains(value, wanted), `something with ${showJson(wanted)} in it`);
  const compare = comparisons[word];
  const limit = Number(wanted);
  return describing((value) => typeof value === 'number' && compare(value, limit), `a number ${word} ${limit}`);
}

const comparisons: Readonly<Record<'gt' | 'gte' | 'lt' | 'lte', (value: number, limit: number) => boolean>> = {
  gt: (value, limit) => value > limit,
  gte: (value, limit) => value >= limit,
  lt: (value, limit) => value < limit,
  lte: (value, limit) => value <= limit,
};

function describing(isRight: (value: unknown) => boolean, wanted: string): Difference {
  return (value, place) =>
    isRight(value) ? undefined : `${place} is ${valueText(value)}, wanted ${shortened(wanted)}`;
}

/** An item of a list, or a part of the text or JSON of a value. */
function contains(value: unknown, wanted: unknown): boolean {
  if (Array.isArray(value) && value.some((item) => jsonEquals(wanted, item))) return true;
  return typeof wanted === 'string' && composed(textOf(value)).includes(composed(wanted));
}

function patternCheck(pattern: string): Difference {
  const compiled = compileTextPattern(composed(pattern));
  const check = describing((value) => compiled.occursIn(composed(textOf(value))), `a match of /${pattern}/`);
  return (value, place) => usable(() => check(value, place), `/${shortened(pattern)}/`);
}

function schemaCheck(schema: JsonSchema): Difference {
  return (value, place) => {
    const [problem] = usable(() => schema.problemsIn(value), 'The schema');
    return problem === undefined ? undefined : `${place} is not valid against the schema: ${shortened(problem)}`;
  };
}

/** A check that takes too much work neither passes nor fails. */
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

function valueText(value: unknown): string {
  return value === undefined ? 'missing' : shortened(showJson(value));
}

function placeOf(place: string, name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? `${place}.${name}` : `${place}[${JSON.stringify(name)}]`;
}
