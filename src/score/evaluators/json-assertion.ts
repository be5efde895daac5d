import { isNumeric, jsonEquals, parseExactJson, showJson } from '../../shared/exact-json.ts';
import { isRecord } from '../../shared/json.ts';
import { compileJsonPath } from '../../shared/json-path/json-path.ts';
import { JsonPathError } from '../../shared/json-path/json-path-walk.ts';
import { compileTextPattern, problemOfPattern, UnusablePattern } from '../../shared/patterns.ts';
import { excerptOf, shortened } from './excerpt.ts';
import { failed, GateFailure, type GateVerdict, passed } from './gates/gate.ts';

type Comparison = '==' | '!=' | '>' | '>=' | '<' | '<=';

/** Condition on the value at a JSONPath. */
export type Assertion =
  | { readonly kind: 'exists' }
  | { readonly kind: 'equals'; readonly value: unknown }
  | { readonly kind: 'contains'; readonly substring: string }
  | { readonly kind: 'matches'; readonly pattern: string }
  | { readonly kind: 'len'; readonly comparison: Comparison; readonly length: number }
  | { readonly kind: 'number'; readonly comparison: Comparison; readonly value: number | bigint };

/** An assertion that cannot be used; says why. */
export class InvalidAssertion extends Error {}

const forms = 'exists, equals <value>, contains <text>, matches <regex>, len >= <n>, or >= <number>';
const comparison = '(==|!=|>=|<=|>|<)';
const withOperand = /^(equals|contains|matches)\s(.*)$/s;
const lenForm = new RegExp(`^len\\s*${comparison}\\s*(\\d+)$`);
const numberForm = new RegExp(`^${comparison}\\s*(-?\\d+(?:\\.\\d+)?(?:[eE][+-]?\\d+)?)$`);

/** Reads the assertion of a `command_json_path` gate, or throws an `InvalidAssertion`. */
export function parseAssertion(text: string): Assertion {
  const trimmed = text.trim();
  if (trimmed === 'exists') return { kind: 'exists' };
  const [, word, operand = ''] = withOperand.exec(trimmed) ?? [];
  if (word === 'equals') return { kind: 'equals', value: jsonOrText(operand.trim()) };
  if (word === 'contains') return { kind: 'contains', substring: operand };
  if (word === 'matches') return matchesOf(operand.trim());
  const [, lenComparison, length] = lenForm.exec(trimmed) ?? [];
  if (length !== undefined) {
    return { kind: 'len', comparison: lenComparison as Comparison, length: Number(length) };
  }
  const [, numberComparison, number] = numberForm.exec(trimmed) ?? [];
  if (number === undefined) throw new InvalidAssertion(whyInvalid(trimmed));
  return { kind: 'number', comparison: numberComparison as Comparison, value: numberOf(number) };
}

/** Says what is wrong with an assertion; undefined for one that can be used. */
export function problemOfAssertion(text: string): string | undefined {
  try {
    parseAssertion(text);
    return undefined;
  } catch (error) {
    if (error instanceof InvalidAssertion) return error.message;
    throw error;
  }
}

function matchesOf(pattern: string): Assertion {
  const problem = problemOfPattern(pattern);
  if (problem) throw new InvalidAssertion(`the regular expression cannot be used: ${problem}`);
  return { kind: 'matches', pattern };
}

/** Text that is not JSON stands for itself. */
function jsonOrText(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch {
    return text;
  }
}

/** Leading zeros are no JSON, and no mistake either. */
function numberOf(digits: string): number | bigint {
  return parseExactJson(digits.replace(/^(-?)0+(?=\d)/, '$1')) as number | bigint;
}

function whyInvalid(text: string): string {
  if (text === '') return `it is empty; write ${forms}`;
  const [, path, rest] = /^(\$\S*)\s+(.+)$/s.exec(text) ?? [];
  if (path !== undefined) return `the path goes into \`path\` ("${path}") and only "${rest}" into \`assertion\``;
  if (text.startsWith('$')) return `a path goes into \`path\`; write ${forms}`;
  if (/^(equals|contains|matches)$/.test(text)) return `"${text}" must be followed by the expected value`;
  if (/^len\b/.test(text)) return '"len" is followed by one of == != > >= < <= and a whole number, as in "len >= 3"';
  if (new RegExp(`^${comparison}`).test(text))
    return 'only numbers are compared like that; for anything else write "equals <value>"';
  return `write ${forms}`;
}

/** A JSONPath, and what must hold of the value that it selects. */
interface PathAssertion {
  readonly path: string;
  readonly assertion: string;
}

/** Compiles both to a check of a document. It and the check throw a `GateFailure` for a mistake in what was written. */
export async function compilePathAssertion(written: PathAssertion): Promise<(document: unknown) => GateVerdict> {
  const explain = (error: unknown): never => {
    const { path, assertion } = written;
    if (error instanceof JsonPathError)
      throw new GateFailure(`Invalid JSON path '${shortened(path)}': ${error.message}`);
    if (error instanceof InvalidAssertion)
      throw new GateFailure(`Invalid assertion '${shortened(assertion)}': ${error.message}`);
    throw error;
  };
  const explained = <Result>(use: () => Result): Result => {
    try {
      return use();
    } catch (error) {
      return explain(error);
    }
  };
  const assertion = explained(() => parseAssertion(written.assertion));
  const path = await compileJsonPath(written.path).catch(explain);
  return (document) => {
    const values = explained(() => path.select(document));
    const { passed: isHeld, message } = checkAssertion(assertion, { isSingular: path.isSingular, values });
    return { passed: isHeld, message: `${shortened(written.path)}: ${message}` };
  };
}

/** Result of a JSONPath: the one value that it names, or the list of all that it selects. */
interface Selection {
  readonly isSingular: boolean;
  readonly values: readonly unknown[];
}

/** Decides an assertion, and says what is there and what was wanted. */
export function checkAssertion(assertion: Assertion, { isSingular, values }: Selection): GateVerdict {
  if (assertion.kind === 'exists') return checkExists(values);
  if (isSingular && values.length === 0) return failed(`path not found, wanted ${wantedBy(assertion)}`);
  const value = isSingular ? values[0] : values;
  switch (assertion.kind) {
    case 'equals':
      return verdict(jsonEqualsSafely(value, assertion.value), value, assertion);
    case 'contains':
      if (typeof value !== 'string') return wrongKind(value, 'a text', assertion);
      return verdict(value.includes(assertion.substring), value, assertion);
    case 'matches':
      return typeof value === 'string' ? checkMatches(value, assertion) : wrongKind(value, 'a text', assertion);
    case 'len':
      return checkLength(value, assertion);
    case 'number':
      if (!isNumeric(value)) return wrongKind(value, 'a number', assertion);
      return verdict(holds(value, assertion.comparison, assertion.value), value, assertion);
  }
}

function checkExists(values: readonly unknown[]): GateVerdict {
  const found = values.find((value) => value !== null);
  if (found !== undefined) return passed(`there is ${valueText(found)}`);
  return failed(values.length === 0 ? 'path not found, wanted a value' : 'value is null, wanted a value');
}

function checkMatches(value: string, assertion: Assertion & { kind: 'matches' }): GateVerdict {
  try {
    return verdict(compileTextPattern(assertion.pattern).occursIn(value), value, assertion);
  } catch (error) {
    if (!(error instanceof UnusablePattern)) throw error;
    return failed(`value cannot be matched with ${excerptOf(assertion.pattern)}: ${error.message}`);
  }
}

function checkLength(value: unknown, assertion: Assertion & { kind: 'len' }): GateVerdict {
  const isList = Array.isArray(value);
  if (!isList && !isRecord(value)) return wrongKind(value, 'an array or object', assertion);
  const length = isList ? value.length : Object.keys(value).length;
  const message = `len is ${length}, wanted ${assertion.comparison} ${assertion.length}`;
  return holds(length, assertion.comparison, assertion.length) ? passed(message) : failed(message);
}

function verdict(isHeld: boolean, value: unknown, assertion: Assertion): GateVerdict {
  const message = `value is ${valueText(value)}, wanted ${wantedBy(assertion)}`;
  return isHeld ? passed(message) : failed(message);
}

function wrongKind(value: unknown, wanted: string, assertion: Assertion): GateVerdict {
  return failed(`value is not ${wanted} but ${valueText(value)}, wanted ${wantedBy(assertion)}`);
}

function wantedBy(assertion: Assertion): string {
  switch (assertion.kind) {
    case 'exists':
      return 'a value';
    case 'equals':
      return valueText(assertion.value);
    case 'contains':
      return `a text that contains ${excerptOf(assertion.substring)}`;
    case 'matches':
      return `a text that matches ${excerptOf(assertion.pattern)}`;
    case 'len':
      return `len ${assertion.comparison} ${assertion.length}`;
    case 'number':
      return `${assertion.comparison} ${assertion.value}`;
  }
}

function valueText(value: unknown): string {
  return shortened(showJson(value));
}

/** Data nested too deeply to compare is equal to no value of a scenario. */
function jsonEqualsSafely(a: unknown, b: unknown): boolean {
  try {
    return jsonEquals(a, b);
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

function holds(left: number | bigint, comparison: Comparison, right: number | bigint): boolean {
  switch (comparison) {
    case '==':
      return left <= right && left >= right;
    case '!=':
      return left < right || left > right;
    case '>':
      return left > right;
    case '>=':
      return left >= right;
    case '<':
      return left < right;
    case '<=':
      return left <= right;
  }
}
