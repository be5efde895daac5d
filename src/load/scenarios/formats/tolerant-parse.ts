import type * as z from 'zod';
import type { Problem } from '../../../domain/problem.ts';
import { isRecord } from '../../../shared/json.ts';
import { didYouMean, nearestName } from '../../../shared/suggest.ts';
import { type DataPath, type ParsedSource, valueAt } from '../../sources/parsed-source.ts';
import { pathText } from '../../sources/schema-messages.ts';
import { knownKeys, problemsOf } from '../../sources/schema-problems.ts';
import type { Findings } from './file-reading.ts';

type Issue = z.core.$ZodIssue;
type UnknownKeys = z.core.$ZodIssueUnrecognizedKeys;

/** Keys that mean something themselves, however near they are to another. */
const lookalikes = new Set(['evaluators']);

/** What is checked, and where it stands. */
interface Checked<Schema extends z.ZodType> {
  readonly schema: Schema;
  readonly value: unknown;
  readonly source: ParsedSource;
  /** Where the value stands in the source. */
  readonly prefix?: DataPath;
  /** Whether unknown keys at a path of the value are ignored with a warning; by default they are refused. */
  isTolerant?(path: DataPath): boolean;
  /** Keys at the top of the value that decide a verdict: a misspelling of one of them is never ignored. */
  readonly decidingKeys?: readonly string[];
}

/**
 * Checks data of a format whose earlier program ignored unknown keys. They are refused wherever an expectation could
 * stand, because a misspelt expectation would pass whatever happens; elsewhere they are left out with a warning, unless
 * one is near to a key that is missing.
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
    const known = knownKeys(schema, value, path);
    found.warnings.push(...keys.map((key) => ignoredKey(key, known, source, [...prefix, ...path])));
  }
  return second.data;
}

/** The problem of a key that is not there; at the key that was probably meant to be it, where there is one. */
export function missingKey(source: ParsedSource, around: DataPath, key: string, hint?: string): Problem {
  const written = Object.keys(Object(valueAt(source.value, around)));
  const slip = written.find((name) => !lookalikes.has(name) && nearestName(name, [key]) !== undefined);
  if (slip !== undefined)
    return {
      at: source.locateKey(around, slip),
      message: `unknown key \`${slip}\``,
      hint: `Did you mean \`${key}\`?`,
    };
  return { at: source.locate(around), message: `${pathText([...around, key])} is missing`, hint };
}

function isUnknownKeys(issue: Issue): issue is UnknownKeys {
  return issue.code === 'unrecognized_keys';
}

/** The unknown keys of an issue that may be left out; empty for any other issue. */
function ignorable(issue: Issue, { isTolerant, decidingKeys = [] }: Checked<z.ZodType>): UnknownKeys[] {
  if (!isUnknownKeys(issue) || !isTolerant?.(issue.path)) return [];
  const isDeciding = (key: string): boolean =>
    issue.path.length === 0 && !lookalikes.has(key) && nearestName(key, decidingKeys) !== undefined;
  const keys = issue.keys.filter((key) => !isDeciding(key));
  return keys.length > 0 ? [{ ...issue, keys }] : [];
}

function ignoredKey(key: string, known: readonly string[], source: ParsedSource, around: DataPath): Problem {
  const message = `unknown key \`${key}\` is ignored`;
  return { at: source.locateKey(around, key), message, hint: didYouMean(key, known) };
}

/** An issue as it is, but of ignored keys only those that stand for a key which is missing. */
function onlyMisspelt(
  issue: Issue,
  ignored: readonly UnknownKeys[],
  { schema, value }: Checked<z.ZodType>,
  others: readonly Issue[],
): Issue[] {
  if (!isUnknownKeys(issue)) return [issue];
  const known = knownKeys(schema, value, issue.path);
  const leftOut = new Set(ignored.filter(({ path }) => isSamePath(path, issue.path)).flatMap(({ keys }) => keys));
  const keys = issue.keys.filter((key) => {
    if (!leftOut.has(key)) return true;
    const meant = nearestName(key, known);
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
