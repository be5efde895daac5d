import type * as z from 'zod';
import type { Problem } from '../../../domain/problem.ts';
import { isRecord } from '../../../shared/json.ts';
import { didYouMean, nearestName } from '../../../shared/suggest.ts';
import { type DataPath, type ParsedSource, valueAt } from '../../sources/parsed-source.ts';
import { pathText } from '../../sources/schema-messages.ts';
import { knownKeys, problemsOf } from '../../sources/schema-problems.ts';
import type { ReadContext } from '../scenario-format.ts';

type Issue = z.core.$ZodIssue;
type UnknownKeys = z.core.$ZodIssueUnrecognizedKeys;

/** Valid keys that are similar to others and not misspellings. */
const lookalikes = new Set(['evaluators']);

/** Data to check, with its position. */
interface Checked<Schema extends z.ZodType> {
  readonly schema: Schema;
  readonly value: unknown;
  readonly source: ParsedSource;
  /** Path of the value in the source. */
  readonly prefix?: DataPath;
  /** Whether unknown keys at a path of the value are ignored with a warning; by default they are refused. */
  isTolerant?(path: DataPath): boolean;
  /** Keys at the top level that decide a verdict: a misspelling of one of them is never ignored. */
  readonly decidingKeys?: readonly string[];
}

/**
 * Checks data of a format whose original program ignored unknown keys. They are refused wherever an expectation could
 * be, because a misspelt expectation would always pass; elsewhere they are ignored with a warning, unless
 * one is similar to a missing key.
 */
export function parseTolerantly<Schema extends z.ZodType>(
  checked: Checked<Schema>,
  found: Findings,
): z.output<Schema> | undefined {
  const { schema, value, source, prefix = [] } = checked;
  const first = schema.safeParse(value);
  if (first.success) return first.data;
  const ignored = first.error.issues.flatMap((issue) => ignorable(issue, checked));
  const second = schema.safeParse(ignored.reduce(withoutKeys, value));
  if (!second.success) {
    const issues = first.error.issues.flatMap((issue) => onlyMisspelt(issue, ignored, checked, second.error.issues));
    found.problems.push(...problemsOf({ issues }, source, schema, prefix));
    return undefined;
  }
  for (const { path, keys } of ignored) {
    const allowed = knownKeys(schema, value, path);
    found.warnings.push(...keys.map((key) => ignoredKey(key, allowed, source, [...prefix, ...path])));
  }
  return second.data;
}

/** Problem of a missing key, or of the key that is probably its misspelling. */
export function missingKey(source: ParsedSource, around: DataPath, key: string, hint?: string): Problem {
  const written = Object.keys(Object(valueAt(source.value, around)));
  const misspelt = written.find((name) => !lookalikes.has(name) && nearestName(name, [key]) !== undefined);
  if (misspelt !== undefined)
    return {
      at: source.locateKey(around, misspelt),
      message: `unknown key \`${misspelt}\``,
      hint: `Did you mean \`${key}\`?`,
    };
  return { at: source.locate(around), message: `${pathText([...around, key])} is missing`, hint };
}

function isUnknownKeys(issue: Issue): issue is UnknownKeys {
  return issue.code === 'unrecognized_keys';
}

/** The unknown keys of an issue that may be ignored; empty for any other issue. */
function ignorable(issue: Issue, { isTolerant, decidingKeys = [] }: Checked<z.ZodType>): UnknownKeys[] {
  if (!isUnknownKeys(issue) || !isTolerant?.(issue.path)) return [];
  const isDeciding = (key: string): boolean =>
    issue.path.length === 0 && !lookalikes.has(key) && nearestName(key, decidingKeys) !== undefined;
  const keys = issue.keys.filter((key) => !isDeciding(key));
  return keys.length > 0 ? [{ ...issue, keys }] : [];
}

function ignoredKey(key: string, allowed: readonly string[], source: ParsedSource, around: DataPath): Problem {
  const message = `unknown key \`${key}\` is ignored`;
  return { at: source.locateKey(around, key), message, hint: didYouMean(key, allowed) };
}

/** An issue without the ignored keys, except those that are misspellings of missing keys. */
function onlyMisspelt(
  issue: Issue,
  ignored: readonly UnknownKeys[],
  { schema, value }: Checked<z.ZodType>,
  others: readonly Issue[],
): Issue[] {
  if (!isUnknownKeys(issue)) return [issue];
  const allowed = knownKeys(schema, value, issue.path);
  const leftOut = new Set(ignored.filter(({ path }) => isSamePath(path, issue.path)).flatMap(({ keys }) => keys));
  const keys = issue.keys.filter((key) => {
    if (!leftOut.has(key)) return true;
    const meant = nearestName(key, allowed);
    if (meant === undefined) return false;
    const place = [...issue.path, meant];
    const isMissing = valueAt(value, place) === undefined;
    return isMissing && others.some(({ path }) => place.every((step, index) => path[index] === step));
  });
  return keys.length > 0 ? [{ ...issue, keys }] : [];
}

function isSamePath(a: DataPath, b: DataPath): boolean {
  return a.length === b.length && a.every((step, index) => step === b[index]);
}

function withoutKeys(value: unknown, { path, keys }: UnknownKeys): unknown {
  return copiedAt(value, path, (part) => {
    if (!isRecord(part)) return part;
    return Object.fromEntries(Object.entries(part).filter(([key]) => !keys.includes(key)));
  });
}

function copiedAt(value: unknown, [step, ...rest]: DataPath, change: (part: unknown) => unknown): unknown {
  if (step === undefined) return change(value);
  if (Array.isArray(value)) return value.map((item, index) => (index === step ? copiedAt(item, rest, change) : item));
  if (!isRecord(value)) return value;
  return { ...value, [step]: copiedAt(value[String(step)], rest, change) };
}

/** Problems and warnings that are found while a file is read. */
export interface Findings {
  readonly problems: Problem[];
  readonly warnings: Problem[];
}

/** A file that is being read into scenarios. */
export interface FileReading {
  readonly source: ParsedSource;
  readonly context: ReadContext;
  readonly found: Findings;
}
