import { isNumeric, jsonEquals, showJson } from '../../../../shared/exact-json.ts';
import { isRecord } from '../../../../shared/json.ts';
import { compileTextPattern, UnusablePattern } from '../../../../shared/patterns.ts';
import { failed, type GateVerdict, passed } from '../gate.ts';
import type { Assertion, Comparison } from './assertion.ts';
import { excerptOf, shortened } from './excerpt.ts';

/** What a JSONPath found: the one value that it names, or the list of all that it selects. */
export interface Selection {
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
  if (found !== undefined) return passed(`there is ${shown(found)}`);
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
  const message = `value is ${shown(value)}, wanted ${wantedBy(assertion)}`;
  return isHeld ? passed(message) : failed(message);
}

function wrongKind(value: unknown, wanted: string, assertion: Assertion): GateVerdict {
  return failed(`value is not ${wanted} but ${shown(value)}, wanted ${wantedBy(assertion)}`);
}

function wantedBy(assertion: Assertion): string {
  switch (assertion.kind) {
    case 'exists':
      return 'a value';
    case 'equals':
      return shown(assertion.value);
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

function shown(value: unknown): string {
  return shortened(showJson(value));
}

/** Data nested beyond what can be compared is equal to nothing that anybody wrote. */
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
