import * as z from 'zod';
import { isRecord } from '../../../../shared/json.ts';
import { problemOfPattern } from '../../../../shared/patterns.ts';
import { checkedJsonSchema } from '../json/json-schema.ts';

/** The words by which a value is described instead of given. */
export const valueMatcherShape = () => ({
  equals: z.unknown().optional().describe('the exact value; needed for an object that looks like a matcher'),
  matches: z
    .string()
    .superRefine((pattern, context) => {
      const problem = problemOfPattern(pattern);
      if (problem) context.addIssue({ code: 'custom', message: `the regular expression cannot be used: ${problem}` });
    })
    .optional()
    .describe('regular expression (RE2 syntax) that occurs in the text, or in the JSON of any other value'),
  contains: z.unknown().optional().describe('text that occurs in it, or an item of a list'),
  gt: z.number().optional().describe('a number greater than this'),
  gte: z.number().optional().describe('a number of at least this'),
  lt: z.number().optional().describe('a number less than this'),
  lte: z.number().optional().describe('a number of at most this'),
  schema: checkedJsonSchema().optional().describe('JSON Schema that it is valid against'),
});

const argumentMatcherSchema = () =>
  z.strictObject({
    ...valueMatcherShape(),
    present: z.boolean().optional().describe('whether the argument is given at all'),
  });

/** A description of one value: every word that is there must hold. */
export type ValueMatcher = Partial<z.output<ReturnType<typeof argumentMatcherSchema>>>;

const matcherWords = new Set(['equals', 'matches', 'contains', 'gt', 'gte', 'lt', 'lte', 'schema', 'present']);

/** An object that has nothing but such words describes a value; any other is taken as it stands. */
export function isValueMatcher(value: unknown): value is ValueMatcher {
  const words = isRecord(value) ? Object.keys(value) : [];
  return words.length > 0 && words.every((word) => matcherWords.has(word));
}

/** Arguments as a scenario describes them: exact values, or matchers at any depth. */
export const argumentMatchersSchema = () =>
  z
    .record(z.string(), z.unknown())
    .superRefine((args, context) => checkMatchers(args, [], context))
    .describe(
      'arguments that the call must have: values, or matchers like { matches }, { contains }, { gte, lte }, { schema }, { present }',
    );

/** One value as a scenario describes it: exact, or with a matcher at any depth. */
export const wantedSchema = () => z.unknown().superRefine((value, context) => checkWanted(value, [], context));

function checkMatchers(value: unknown, path: readonly string[], context: z.RefinementCtx): void {
  if (!isRecord(value)) return;
  for (const [name, part] of Object.entries(value)) checkWanted(part, [...path, name], context);
}

function checkWanted(part: unknown, path: readonly string[], context: z.RefinementCtx): void {
  if (!isValueMatcher(part)) {
    checkMatchers(part, path, context);
    return;
  }
  for (const issue of argumentMatcherSchema().safeParse(part).error?.issues ?? []) {
    const placed = { ...issue, input: part, path: [...path, ...issue.path] };
    context.addIssue(placed as Parameters<typeof context.addIssue>[0]);
  }
}
