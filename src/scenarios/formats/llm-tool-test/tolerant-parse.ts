import type * as z from 'zod';
import type { Problem } from '../../../domain/problem.ts';
import { isRecord } from '../../../shared/json.ts';
import { didYouMean, nearestName } from '../../../shared/suggest.ts';
import { pathText } from '../../issue-words.ts';
import { knownKeys } from '../../known-keys.ts';
import { type DataPath, type ParsedSource, valueAt } from '../../parsed-source.ts';
import { problemsOf } from '../../schema-problems.ts';
import type { Findings } from './findings.ts';

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
  /** Whether unknown keys at a path of the value are refused. */
  isStrict?(path: DataPath): boolean;
}

/**
 * Checks data of a format that always allowed keys which mean nothing: they are warned of and left out. One that is
 * near to a key which is missing is refused, since it can only be that.
 */
export function parseTolerantly<Schema extends z.ZodType>(
  checked: Checked<Schema>,
  found: Findings,
): z.output<Schema> | undefined {
  const { schema, value, source, prefix = [], isStrict = () => false } = checked;
  const first = schema.safeParse(value);
  if (first.success) return first.data;
  const ignored = first.error.issues.filter((issue) => isUnknownKeys(issue) && !isStrict(issue.path)) as UnknownKeys[];
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

function ignoredKey(key: string, known: readonly string[], source: ParsedSource, around: DataPath): Problem {
  const message = `unknown key \`${key}\` is ignored`;
  return { at: source.locateKey(around, key), message, hint: didYouMean(key, known) };
}

/** An issue as it is, but of ignored keys only those that stand for a key which is missing. */
function onlyMisspelt(
  issue: Issue,
  ignored: readonly Issue[],
  { schema, value }: Checked<z.ZodType>,
  others: readonly Issue[],
): Issue[] {
  if (!isUnknownKeys(issue) || !ignored.includes(issue)) return [issue];
  const known = knownKeys(schema, value, issue.path);
  const keys = issue.keys.filter((key) => {
    const meant = nearestName(key, known);
    if (meant === undefined) return false;
    const place = [...issue.path, meant];
    const isMissing = valueAt(value, place) === undefined;
    return isMissing && others.some(({ path }) => place.every((step, index) => path[index] === step));
  });
  return keys.length > 0 ? [{ ...issue, keys }] : [];
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
