import * as z from 'zod';
import { isRecord } from '../../../shared/json.ts';
import { dialects } from './dialects.ts';
import { type FaultWord, faults } from './faults.ts';
import { misspeltPlaceholders } from './placeholders.ts';
import { compileTextPattern, PatternDefect } from './text-pattern.ts';

const longestDelayMs = 600_000;
const delaySchema = z.int().min(0).max(longestDelayMs);

const patternSchema = z
  .string()
  .min(1)
  .superRefine((pattern, context) => {
    try {
      compileTextPattern(pattern);
    } catch (error) {
      if (!(error instanceof PatternDefect)) throw error;
      context.addIssue({ code: 'custom', message: error.message });
    }
  })
  .describe('`/…/flags` for a regular expression, or a text that must occur');

const whenSchema = z.strictObject({
  last: patternSchema.optional().describe("the user's last message"),
  system: patternSchema.optional().describe('the system prompt'),
  model: patternSchema.optional().describe('the requested model'),
  toolResult: patternSchema.optional().describe('tool results since the last reply of the model'),
  tool: z.string().min(1).optional().describe('full name of a tool that the request offers'),
  turn: z.int().min(1).optional().describe('number of the reply in this conversation, from 1'),
  path: z
    .enum(dialects.map((dialect) => dialect.name))
    .optional()
    .describe('the API of the request'),
  nth: z.int().min(1).optional().describe('only the n-th request that meets all other conditions'),
});

/** Text that may hold placeholders, anywhere in a value. */
const templateSchema = z.json().superRefine(refuseMisspelt);

const replySchema = z.union([
  z.string().superRefine(refuseMisspelt),
  z.strictObject({ json: templateSchema.describe('value that is sent as JSON text') }),
]);

const toolCallSchema = z.strictObject({
  name: z.string().min(1).describe('name of the tool'),
  input: templateSchema.default({}).describe('arguments of the call'),
});

const faultSchema = z.union([
  z.enum(Object.keys(faults) as FaultWord[]),
  z.strictObject({
    status: z.int().min(400).max(599).describe('HTTP status'),
    retryAfter: z.number().min(0).optional().describe('seconds in the Retry-After header'),
    body: z.json().optional().describe("body of the response; by default the provider's error format"),
  }),
]);

const ruleSchema = z
  .strictObject({
    when: whenSchema.default({}).describe('conditions on the request; all of them must hold'),
    reply: replySchema.optional().describe('text of the answer, with `{{placeholders}}`'),
    toolCalls: z.array(toolCallSchema).default([]).describe('tool calls of the answer'),
    usage: z
      .strictObject({
        input: z.int().min(0).optional().describe('input tokens'),
        output: z.int().min(0).optional().describe('output tokens'),
      })
      .optional()
      .describe('tokens that the answer reports; estimated by default'),
    delayMs: delaySchema.optional().describe('delay before the answer, in milliseconds; overrides that of the script'),
    chunks: z.int().min(1).max(10_000).optional().describe('number of pieces in a streamed answer'),
    dripMs: delaySchema.optional().describe('delay between the events of a stream, in milliseconds'),
    fault: faultSchema.optional().describe('failure instead of an answer'),
    times: z.int().min(1).optional().describe('most times that the rule applies'),
    probability: z
      .number()
      .min(0)
      .max(1)
      .optional()
      .describe('probability that the rule applies when its conditions hold'),
    seed: z.int().optional().describe('seed of the pseudo-random decision; default 1'),
  })
  .superRefine((rule, context) => {
    if (rule.reply !== undefined || rule.toolCalls.length > 0 || rule.fault !== undefined) return;
    const hint = 'Give it a `reply`, `toolCalls` or a `fault`.';
    context.addIssue({ code: 'custom', message: 'this rule does nothing', params: { hint } });
  });

/** The rules of a scripted model. */
export const scriptSchema = z.strictObject({
  $schema: z.string().optional(),
  model: z.string().min(1).optional().describe('model name of the answers; by default the requested one'),
  delayMs: delaySchema.default(0).describe('delay before every answer, in milliseconds'),
  apiKey: z.string().min(1).optional().describe('API key that requests must send'),
  batchLooks: z
    .int()
    .min(0)
    .max(1_000)
    .default(0)
    .describe('looks at a batch that find it in progress, before it is done'),
  rules: z.array(ruleSchema).min(1).describe('rules in order; the first one that matches answers'),
});

/** A script as it is written: everything with a default may be left out. */
export type ScriptSource = z.input<typeof scriptSchema>;
export type Script = z.output<typeof scriptSchema>;
export type ScriptRule = Script['rules'][number];
export type ScriptToolCall = ScriptRule['toolCalls'][number];
export type ScriptFault = NonNullable<ScriptRule['fault']>;

function refuseMisspelt(value: unknown, context: z.core.$RefinementCtx<unknown>): void {
  refuseMisspeltIn(value, [], context);
}

function refuseMisspeltIn(value: unknown, path: PropertyKey[], context: z.core.$RefinementCtx<unknown>): void {
  if (typeof value === 'string') {
    for (const { written, column, meant } of misspeltPlaceholders(value)) {
      const message = `unknown placeholder \`{{${written}}}\``;
      const hint = `Did you mean \`{{${meant}}}\`?`;
      context.addIssue({ code: 'custom', path, message, params: { column, hint } });
    }
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) refuseMisspeltIn(item, [...path, index], context);
  } else if (isRecord(value)) {
    for (const [key, part] of Object.entries(value)) refuseMisspeltIn(part, [...path, key], context);
  }
}
