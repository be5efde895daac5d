import { isRecord } from '../../shared/json.ts';
import type { StandardSchema, ZodLikeSchema } from './config-of.ts';

interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** What a schema made of a value. */
export type Checked = { readonly value: unknown } | { readonly issues: readonly Issue[] };
/** Whether it follows the Standard Schema convention; some libraries make such schemas of functions. */
export function isStandardSchema(given: unknown): given is StandardSchema {
  const isObject = isRecord(given) || typeof given === 'function';
  if (!isObject || !('~standard' in given)) return false;
  return typeof (given as Partial<StandardSchema>)['~standard']?.validate === 'function';
}

/** Whether it is asked as zod is asked. */
export function isZodLike(given: unknown): given is ZodLikeSchema {
  return isRecord(given) && typeof given.safeParse === 'function';
}

/** What a Standard Schema says of a value; it must say so at once. */
export function standardResult(schema: StandardSchema, value: unknown): Checked {
  const result = schema['~standard'].validate(value);
  if (result instanceof Promise) {
    result.catch(() => undefined);
    return { issues: [{ path: [], message: 'the config schema must not be asynchronous' }] };
  }
  if (!isRecord(result)) throw new Error('it gave no result');
  return Array.isArray(result.issues) ? { issues: result.issues.map(issueOf) } : { value: result.value };
}

/** What `safeParse` gave. */
export function zodResult(result: unknown): Checked {
  if (!isRecord(result)) throw new Error('it gave no result');
  if (result.success === true) return { value: result.data };
  const { issues } = result.error as { readonly issues?: unknown };
  return { issues: Array.isArray(issues) ? issues.map(issueOf) : [{ path: [], message: 'is not valid' }] };
}

function issueOf(issue: unknown): Issue {
  const { path, message } = Object(issue) as { readonly path?: unknown; readonly message?: unknown };
  const steps = Array.isArray(path) ? path : [];
  return {
    path: steps.map((step: unknown) => (isRecord(step) ? String(step.key) : (step as PropertyKey))),
    message: typeof message === 'string' && message !== '' ? message : 'is not valid',
  };
}
