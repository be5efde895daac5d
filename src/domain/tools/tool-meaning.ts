import { isRecord, tracedJson } from '../../shared/json.ts';
import { isSameInteger } from '../../shared/json-digits.ts';

/** How an expected result is compared: as a whole, or by the parts that an expected object names. */
export type ResultMatch = 'equal' | 'subset';

/** The first place where a result is not what was expected. */
export interface ResultDifference {
  /** As JSONPath: `$.items[2].name`. */
  readonly path: string;
  /** `contains`: a text was looked for; `missing`, `unexpected`: of a key; `length`: of a list; else `value`. */
  readonly rule: 'contains' | 'missing' | 'unexpected' | 'length' | 'value';
  readonly expected: unknown;
  readonly actual: unknown;
}

const tolerance = 0.0001;
const mayBeJson = /^\s*[[{"\-\dtfn]/;

/** The text blocks of a tool's result, one under the other; undefined when it has none. */
export function textOfResult(result: unknown): string | undefined {
  const content = isRecord(result) && Array.isArray(result.content) ? result.content : [];
  const texts = content.flatMap((block: unknown) =>
    isRecord(block) && block.type === 'text' && typeof block.text === 'string' ? [block.text] : [],
  );
  return texts.length === 0 ? undefined : texts.join('\n');
}

/**
 * Meaning of a tool's result, independent of its envelope: its structured content, else its text (as the JSON that it
 * holds, where it does), else the blocks of its content.
 */
export function meaningOfResult(result: unknown): unknown {
  if (!isRecord(result)) return result;
  if (result.structuredContent !== undefined) return result.structuredContent;
  const text = textOfResult(result);
  return text === undefined ? (result.content ?? []) : valueOfText(text);
}

function valueOfText(text: string): unknown {
  return mayBeJson.test(text) ? tracedJson(text) : text;
}

/** Whether a tool's result means what was expected. */
export function resultMatches(expected: unknown, result: unknown, match: ResultMatch = 'equal'): boolean {
  return differenceOfResult(expected, result, match) === undefined;
}

/**
 * The first difference between what was expected and what a tool's result means; undefined when there is none.
 *
 * An expected text must be somewhere in the result, whatever its case: in its text, in a text inside of its data, or in
 * its data written as JSON. Numbers may differ by less than 0.0001, everything else must be equal. Where structured
 * content is an object and no object is expected, what is compared is the value that the object is a mere wrapper of
 * (`{ "result": … }`), else the text of the result.
 */
export function differenceOfResult(
  expected: unknown,
  result: unknown,
  match: ResultMatch = 'equal',
): ResultDifference | undefined {
  const meaning = meaningOfResult(result);
  if (typeof expected === 'string') {
    const isText = containsText(textOfResult(result) ?? '', expected) || holdsText(meaning, expected);
    return isText ? undefined : { path: '$', rule: 'contains', expected, actual: meaning };
  }
  const difference = differenceOfValues(expected, isRecord(expected) ? meaning : unwrapped(meaning, result), match);
  if (!difference || !isEnvelope(expected) || !isRecord(result)) return difference;
  const named = Object.fromEntries(Object.keys(expected).map((key) => [key, result[key]]));
  return differenceOfValues(expected, named, match);
}

/** Whether an expectation is written as a whole result of MCP; of the envelope only what it names is compared. */
function isEnvelope(expected: unknown): expected is Record<string, unknown> {
  if (!isRecord(expected) || !Array.isArray(expected.content)) return false;
  const { content } = expected;
  return content.length > 0 && content.every((block) => isRecord(block) && typeof block.type === 'string');
}

function unwrapped(meaning: unknown, result: unknown): unknown {
  if (!isRecord(result) || result.structuredContent === undefined || !isRecord(meaning)) return meaning;
  if (Object.hasOwn(meaning, 'result') && Object.keys(meaning).length === 1) return meaning.result;
  const text = textOfResult(result);
  return text === undefined ? meaning : valueOfText(text);
}

/** Whether a text is part of another, whatever the case of either. */
export function containsText(text: string, wanted: string): boolean {
  // Not lower case: there the form of a letter may depend on its neighbours.
  return text.toUpperCase().includes(wanted.toUpperCase());
}

/** Whether the data of a log message contains a text. */
export function logHolds({ data }: Readonly<Record<string, unknown>>, text: string): boolean {
  return containsText(typeof data === 'string' ? data : JSON.stringify(data ?? null), text);
}

function holdsText(value: unknown, wanted: string): boolean {
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const part = waiting.pop();
    if (typeof part === 'string' && containsText(part, wanted)) return true;
    if (typeof part === 'object' && part !== null) for (const inner of Object.values(part)) waiting.push(inner);
  }
  return typeof value !== 'string' && containsText(jsonText(value), wanted);
}

function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    // Nested more deeply than can be written; the texts inside of it have been looked at.
    return '';
  }
}

/** The first difference between two values of JSON; undefined when there is none. */
export function differenceOfValues(
  expected: unknown,
  actual: unknown,
  match: ResultMatch = 'equal',
  path = '$',
): ResultDifference | undefined {
  if (Array.isArray(expected)) return differenceOfLists(expected, actual, match, path);
  if (isRecord(expected)) return differenceOfObjects(expected, actual, match, path);
  const areEqual =
    typeof expected === 'number' && typeof actual === 'number'
      ? areNear(expected, actual)
      : expected === actual || isSameInteger(expected, actual);
  return areEqual ? undefined : { path, rule: 'value', expected, actual };
}

function areNear(a: number, b: number): boolean {
  return Object.is(a, b) || a === b || Math.abs(a - b) < tolerance;
}

function differenceOfLists(
  expected: readonly unknown[],
  actual: unknown,
  match: ResultMatch,
  path: string,
): ResultDifference | undefined {
  if (!Array.isArray(actual)) return { path, rule: 'value', expected, actual };
  if (actual.length !== expected.length) {
    return { path, rule: 'length', expected: expected.length, actual: actual.length };
  }
  for (const [index, item] of expected.entries()) {
    const found = differenceOfValues(item, actual[index], match, `${path}[${index}]`);
    if (found) return found;
  }
  return undefined;
}

function differenceOfObjects(
  expected: Record<string, unknown>,
  actual: unknown,
  match: ResultMatch,
  path: string,
): ResultDifference | undefined {
  if (!isRecord(actual)) return { path, rule: 'value', expected, actual };
  for (const [key, part] of Object.entries(expected)) {
    if (part === undefined) continue;
    if (!Object.hasOwn(actual, key)) {
      return { path: inner(path, key), rule: 'missing', expected: part, actual: undefined };
    }
    const found = differenceOfValues(part, actual[key], match, inner(path, key));
    if (found) return found;
  }
  if (match === 'subset') return undefined;
  const extra = Object.keys(actual).find((key) => !Object.hasOwn(expected, key) || expected[key] === undefined);
  if (extra === undefined || actual[extra] === undefined) return undefined;
  return { path: inner(path, extra), rule: 'unexpected', expected: undefined, actual: actual[extra] };
}

function inner(path: string, key: string): string {
  return /^[A-Za-z_]\w*$/.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`;
}
