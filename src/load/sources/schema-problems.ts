import type * as z from 'zod';
import type { Problem } from '../../domain/problem.ts';
import { nearestName, suggestion } from '../../shared/suggest.ts';
import { issueWords } from './issue-words.ts';
import { knownKeys } from './known-keys.ts';
import { type DataPath, type ParsedSource, valueAt } from './parsed-source.ts';

/** What a refinement may say beside its message: where in a string it applies, and what to do. */
export interface RefinementParams {
  readonly column?: number;
  readonly hint?: string | undefined;
}

type Issues = Pick<z.ZodError, 'issues'>;

/**
 * The issues of a failed check as problems of the file, each at its own place. `prefix` is where the checked data
 * stands in the source.
 */
export function problemsOf(failed: Issues, source: ParsedSource, schema: z.ZodType, prefix: DataPath = []): Problem[] {
  const data = valueAt(source.value, prefix);
  const error = { issues: failed.issues.map(withinUnion) };
  const misspelt = misspeltKeys(error, schema, data);
  const withUnknownKeys = new Set(
    error.issues.flatMap(({ code, path }) => (code === 'unrecognized_keys' ? [placeOf(path)] : [])),
  );
  return error.issues.flatMap((issue) => {
    const path = [...prefix, ...issue.path];
    if (issue.code === 'unrecognized_keys') {
      const known = knownKeys(schema, data, issue.path);
      return issue.keys.map((key) => unknownKey(key, known, source, path));
    }
    const written = valueAt(data, issue.path);
    if (written === undefined && issue.path.some((_, end) => misspelt.has(placeOf(issue.path.slice(0, end + 1)))))
      return [];
    if (written === undefined && issue.code === 'invalid_union') {
      const slip = misspeltKind(source, path);
      if (slip) return [slip];
    }
    // An unknown key may be the one that a rule about the whole object misses.
    if (issue.code === 'custom' && withUnknownKeys.has(placeOf(issue.path))) return [];
    if (issue.code === 'custom') return [refinementProblem(issue, source, path)];
    return [{ at: source.locate(path), ...issueWords(issue, path, written) }];
  });
}

/** Of an object that fits one way to write it but for unknown keys, those keys; any other issue as it is. */
function withinUnion(issue: Issues['issues'][number]): Issues['issues'][number] {
  if (issue.code !== 'invalid_union') return issue;
  const [written, ...others] = issue.errors.filter((issues) => issues.every(isAboutContent));
  const inner = written?.find(({ code }) => code === 'unrecognized_keys') ?? written?.[0];
  return inner && others.length === 0 ? { ...inner, path: [...issue.path, ...inner.path] } : issue;
}

/** An issue of something that has the right type. */
function isAboutContent({ code }: Issues['issues'][number]): boolean {
  return code === 'unrecognized_keys' || code === 'custom';
}

function unknownKey(key: string, known: readonly string[], source: ParsedSource, around: DataPath): Problem {
  const hint = known.length > 0 ? suggestion(key, known) : undefined;
  return { at: source.locateKey(around, key), message: `unknown key \`${key}\``, hint };
}

function refinementProblem(issue: z.core.$ZodIssueCustom, source: ParsedSource, path: DataPath): Problem {
  const { column, hint } = (issue.params ?? {}) as RefinementParams;
  const at = column === undefined ? source.locate(path) : source.locateInString(path, column);
  return { at, message: issue.message, hint };
}

/** Keys that seem to be there under a wrong name: calling them missing as well would tell one mistake twice. */
function misspeltKeys(error: Issues, schema: z.ZodType, data: unknown): ReadonlySet<string> {
  const places = error.issues.flatMap((issue) => {
    if (issue.code !== 'unrecognized_keys') return [];
    const known = knownKeys(schema, data, issue.path);
    return issue.keys.map((key) => placeOf([...issue.path, nearestName(key, known) ?? '']));
  });
  return new Set(places);
}

/** The key that chooses among kinds, written wrongly: without it no kind is there to know the other keys. */
function misspeltKind(source: ParsedSource, path: DataPath): Problem | undefined {
  const around = path.slice(0, -1);
  const meant = String(path.at(-1));
  const written = Object.keys(Object(valueAt(source.value, around)));
  const key = written.find((name) => nearestName(name, [meant]) !== undefined);
  return key === undefined ? undefined : unknownKey(key, [meant], source, around);
}

function placeOf(path: DataPath): string {
  return JSON.stringify(path.map(String));
}
