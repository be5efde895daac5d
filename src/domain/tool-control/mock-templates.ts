import * as z from 'zod';
import { isRecord } from '../../shared/json.ts';
import { lazySchema } from '../../shared/lazy-schema.ts';
import { nestedTemplateColumn, templatesIn } from '../../shared/templates.ts';

/** Something in a mock that cannot be right, with its place in the mock. */
export interface MockProblem {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  /** Of the first wrong character in a text, from 1. */
  readonly column?: number | undefined;
}

/** Names that templates may use at a border, and how a message lists them. */
interface KnownTemplates {
  readonly names: RegExp;
  readonly hint: string;
}

const argumentTemplates: KnownTemplates = { names: /^(call|args(\..+)?)$/, hint: '`{{args.name}}` or `{{call}}`' };

/** Templates of an answer that no call can fill in. */
export function templateProblems(
  answer: unknown,
  path: readonly PropertyKey[],
  known: KnownTemplates = argumentTemplates,
): MockProblem[] {
  if (typeof answer !== 'string') {
    const parts = isRecord(answer) ? Object.entries(answer) : Array.isArray(answer) ? [...answer.entries()] : [];
    return parts.flatMap(([key, part]) => templateProblems(part, [...path, key], known));
  }
  const column = nestedTemplateColumn(answer);
  if (column !== undefined) return [{ path, column, message: 'a template cannot stand inside another template' }];
  return templatesIn(answer, path).flatMap(({ name, written, column }) =>
    name !== undefined && known.names.test(name)
      ? []
      : [{ path, column, message: `unknown template \`${written}\`: use ${known.hint}` }],
  );
}

/** Longest delay of an answer. */
const mostDelayMs = 600_000;

export const delaySchema = lazySchema(() =>
  z.int().min(0).max(mostDelayMs).optional().describe('milliseconds until the answer'),
);
