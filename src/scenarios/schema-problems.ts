import type * as z from 'zod';
import type { Problem } from '../domain/problem.ts';
import { suggestion } from '../shared/suggest.ts';
import { knownKeys } from './known-keys.ts';
import type { DataPath, ParsedSource } from './parsed-source.ts';

/** What a refinement may say beside its message: where in a string it applies, and what to do. */
export interface RefinementParams {
  readonly column?: number;
  readonly hint?: string | undefined;
}

/** The issues of a failed check as problems of the file, each at its own place. */
export function problemsOf(
  error: z.ZodError,
  source: ParsedSource,
  schema: z.ZodType,
  prefix: DataPath = [],
): Problem[] {
  return error.issues.flatMap((issue) => problemsOfIssue(issue, source, schema, prefix));
}

function problemsOfIssue(
  issue: z.core.$ZodIssue,
  source: ParsedSource,
  schema: z.ZodType,
  prefix: DataPath,
): Problem[] {
  const path = [...prefix, ...issue.path];
  if (issue.code === 'unrecognized_keys') {
    const known = knownKeys(schema, issue.path);
    return issue.keys.map((key) => ({
      at: source.locateKey(path, key),
      message: `unknown key \`${key}\``,
      hint: known.length > 0 ? suggestion(key, known) : undefined,
    }));
  }
  if (issue.code === 'custom') {
    const { column, hint } = (issue.params ?? {}) as RefinementParams;
    const at = column === undefined ? source.locate(path) : source.locateInString(path, column);
    return [{ at, message: issue.message, hint }];
  }
  return [
    { at: source.locate(path), message: `${describePath(path)}${readable(issue)}`, hint: hintOf(issue, source, path) },
  ];
}

function describePath(path: DataPath): string {
  return path.length === 0 ? '' : `\`${path.map(String).join('.')}\` `;
}

function readable(issue: z.core.$ZodIssue): string {
  if (/received undefined$/.test(issue.message)) return 'is missing';
  if (issue.code === 'invalid_type')
    return issue.message.replace(/^Invalid input: expected/, 'must be').replace('received', 'not');
  if (issue.code === 'invalid_value')
    return `must be one of ${issue.values.map((value) => `\`${String(value)}\``).join(', ')}`;
  if (issue.code === 'invalid_union') return 'is not one of the known kinds';
  return issue.message.replace(/^Invalid (input|string|option): /, 'is not valid: ').replace(/^Too/, 'is too');
}

function hintOf(issue: z.core.$ZodIssue, source: ParsedSource, path: DataPath): string | undefined {
  if (issue.code !== 'invalid_value') return undefined;
  const written = valueAt(source.value, path);
  return typeof written === 'string' ? suggestion(written, issue.values.map(String)) : undefined;
}

function valueAt(value: unknown, path: DataPath): unknown {
  return path.reduce<unknown>((part, step) => (part as Record<PropertyKey, unknown> | undefined)?.[step], value);
}
