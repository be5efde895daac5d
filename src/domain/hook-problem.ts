import * as z from 'zod';
import { lazySchema } from '../shared/lazy-schema.ts';

/** A command of a hook that failed after what it follows: it changes no verdict. */
export const hookProblemSchema = lazySchema(() =>
  z.object({
    hook: z.enum(['afterRun', 'afterScenario', 'afterTrial']),
    command: z.string(),
    count: z.number().describe('how often it failed'),
    message: z.string().describe('how it ended the first time, with the end of its output'),
    scenario: z.string().nullable().describe('of the first failure; null for `afterRun`'),
    trialId: z.string().nullable().describe('of the first failure; null unless it is `afterTrial`'),
  }),
);
export type HookProblem = z.infer<typeof hookProblemSchema>;

/** Failures of one command in one hook are one entry, however many trials there are. */
export function mergedHookProblems(problems: readonly HookProblem[]): HookProblem[] {
  const merged = new Map<string, HookProblem>();
  for (const problem of problems) {
    const key = `${problem.hook} ${problem.command}`;
    const first = merged.get(key);
    merged.set(key, first ? { ...first, count: first.count + problem.count } : problem);
  }
  return [...merged.values()];
}
