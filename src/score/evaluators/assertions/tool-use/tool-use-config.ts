import * as z from 'zod';
import { actionKindSchema } from '../../../../domain/capability.ts';
import { kindInName } from '../../../../domain/tools/tool-names.ts';
import type { CoverageScope } from '../../../../domain/trace-coverage/coverage.ts';
import { lazySchema } from '../../../../shared/lazy-schema.ts';
import { criteriaListSchema } from '../../../criteria/source-schemas.ts';
import type { How, Reads } from '../../evaluator.ts';

/** The name of a tool, of several, or of a kind of action. */
export const toolName = lazySchema(() =>
  z
    .string()
    .min(1)
    .refine((name) => kindInName(name) !== null, {
      error: ({ input }) =>
        `\`${String(input)}\` is not a kind of action: use kind:${actionKindSchema.options.join(', kind:')}`,
    }),
);

/** Forms of a tool name, for the descriptions of configs. */
export const nameRules =
  '`*` stands for any text; the tool of an MCP server is also `server/tool`; `kind:read` is every tool that reads files';

/** Which calls count. */
export const within = lazySchema(() =>
  z
    .enum(['conversation', 'answer'])
    .default('conversation')
    .describe('all calls so far, or only those of the current answer'),
);
export type Within = z.output<typeof within>;

/** The part of a trial that an evaluator with `within` looks at. */
export function scopeOf(where: Within): CoverageScope {
  return where === 'answer' ? 'answer' : 'trial';
}

/** Some tools only, where that makes sense. */
export const onlyTools = lazySchema(() =>
  z.array(toolName).min(1).optional().describe(`check only calls of these tools; ${nameRules}`),
);

/** How many breaches are let pass. */
export const allow = lazySchema(() => z.int().min(0).default(0).describe('number of violations to allow'));

/** The channels that an evaluator of calls reads; criteria may look at their results too. */
export function readsOfCalls(how: How, criteria: readonly string[]): Pick<Reads, 'channels' | 'whereRead'> {
  return { channels: { 'tool-calls': how }, ...(criteria.length > 0 && { whereRead: { 'tool-results': how } }) };
}

/** Criteria about one call. */
export const callCriteria = lazySchema(() =>
  criteriaListSchema.describe(
    'boolean expressions that must all be true, over `input` (the arguments of the call), `result`, `error` and `expected`',
  ),
);
