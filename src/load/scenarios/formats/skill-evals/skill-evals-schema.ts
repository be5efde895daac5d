import * as z from 'zod';

const filled = (what: string) =>
  z.string().refine((text) => text.trim() !== '', { message: `${what} must not be empty` });
const statements = z.array(filled('an expectation')).nullish();
const idSchema = z.union([z.number(), z.string().min(1)], { error: 'must be a number or a text' });

/** Keys that describe an entry for people; they decide nothing. */
const remarks = { name: z.unknown(), eval_name: z.unknown(), title: z.unknown(), description: z.unknown() };
const optionalRemarks = z.object(remarks).partial().shape;

const taskSchema = z.strictObject({
  id: idSchema,
  prompt: filled('the prompt').describe('the task, as a user would write it'),
  expected_output: z.string().nullish().describe('the right result in words'),
  files: z.array(filled('a path')).nullish().describe('input files, relative to the folder of the skill'),
  expectations: statements.describe('statements that must be true of the result'),
  assertions: statements.describe('the same, by an earlier name'),
  ...optionalRemarks,
});

/** `evals.json` of a published skill. */
export const skillEvalsSchema = z.strictObject({
  $schema: z.string().optional(),
  skill_name: z.string().min(1).optional(),
  evals: z.array(taskSchema).min(1),
});
export type SkillTask = z.output<typeof taskSchema>;

/** One query, by either of its names. */
const querySchema = z
  .strictObject({
    id: idSchema.optional(),
    query: filled('the query').optional(),
    prompt: filled('the prompt').optional(),
    should_trigger: z.boolean(),
    ...optionalRemarks,
  })
  .refine(({ query, prompt }) => (query === undefined) !== (prompt === undefined), {
    message: 'give either a `query` or a `prompt`',
  });

export const triggerQueriesSchema = z.array(querySchema);
export const triggerEvalsSchema = z.strictObject({
  $schema: z.string().optional(),
  skill_name: z.string().min(1).optional(),
  evals: triggerQueriesSchema,
});
export type TriggerQuery = z.output<typeof querySchema>;

/** Keys that decide a verdict: a misspelling of one of them is never ignored. */
export const decidingKeys = ['prompt', 'query', 'expected_output', 'files', 'expectations', 'assertions'];
