import { isAbsolute } from 'node:path';
import { RE2JS } from 're2js';
import * as z from 'zod';

/** Condition for taking a step; all of its parts must hold. */
export interface Condition {
  readonly prompt_contains?: string | undefined;
  readonly prompt_matches?: string | undefined;
  readonly output_contains?: string | undefined;
  readonly output_matches?: string | undefined;
  readonly exit_code?: number | { readonly not: number } | undefined;
  readonly file?: string | undefined;
  readonly contains?: string | undefined;
  readonly matches?: string | undefined;
  readonly not?: Condition | undefined;
  readonly any?: readonly Condition[] | undefined;
  readonly all?: readonly Condition[] | undefined;
}

const exitCodeSchema = z.int().min(0).max(255);

const patternSchema = z.string().superRefine((pattern, context) => {
  try {
    RE2JS.compile(pattern);
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : String(error);
    context.addIssue({ code: 'custom', message: `the regular expression cannot be used: ${reason}` });
  }
});

const fileSchema = z
  .string()
  .min(1)
  .refine((path) => !isAbsolute(path) && !path.split('/').includes('..'), 'the file must lie in the work directory');

const conditionSchema: z.ZodType<Condition> = z
  .strictObject({
    prompt_contains: z.string().optional().describe('text in the task'),
    prompt_matches: patternSchema.optional().describe('regular expression on the task'),
    output_contains: z.string().optional().describe('text in the output of the last command'),
    output_matches: patternSchema.optional().describe('regular expression on the output of the last command'),
    exit_code: z
      .union([exitCodeSchema, z.strictObject({ not: exitCodeSchema.describe('any exit code but this one') })])
      .optional()
      .describe('exit code of the last command'),
    file: fileSchema.optional().describe('file of the work directory that must exist'),
    contains: z.string().optional().describe('text in `file`'),
    matches: patternSchema.optional().describe('regular expression on the text of `file`'),
    get not() {
      return conditionSchema.optional().describe('condition that must not hold');
    },
    get any() {
      return z.array(conditionSchema).min(1).optional().describe('conditions of which one must hold');
    },
    get all() {
      return z.array(conditionSchema).min(1).optional().describe('conditions that must all hold');
    },
  })
  .superRefine((condition, context) => {
    const isAboutFile = condition.contains !== undefined || condition.matches !== undefined;
    if (isAboutFile && condition.file === undefined) {
      const hint = 'Use `output_contains` or `output_matches` for the output of a command.';
      context.addIssue({ code: 'custom', message: '`contains` and `matches` need a `file`', params: { hint } });
    }
    if (Object.keys(condition).length === 0) context.addIssue({ code: 'custom', message: 'this condition is empty' });
  });

const stepSchema = z.preprocess(
  (step) => (typeof step === 'string' ? { run: step } : step),
  z
    .strictObject({
      run: z.string().min(1).optional().describe('shell command'),
      say: z.string().min(1).optional().describe('message of the assistant'),
      exit: exitCodeSchema.optional().describe('end the agent with this exit code'),
      when: conditionSchema.optional().describe('take the step only if this holds'),
    })
    .superRefine((step, context) => {
      if (step.run !== undefined && step.exit !== undefined) {
        context.addIssue({ code: 'custom', message: 'a step cannot both `run` and `exit`' });
      }
      if (step.run !== undefined || step.say !== undefined || step.exit !== undefined) return;
      const hint = 'Give it a `run`, `say` or `exit`.';
      context.addIssue({ code: 'custom', message: 'this step does nothing', params: { hint } });
    }),
);

/** The script of a scripted agent. */
export const agentScriptSchema = z.strictObject({
  $schema: z.string().optional(),
  model: z.string().min(1).optional().describe('model name that the usage is reported for'),
  usage: z
    .strictObject({
      inputTokens: z.int().min(0).describe('input tokens'),
      outputTokens: z.int().min(0).describe('output tokens'),
    })
    .optional()
    .describe('tokens that the agent reports'),
  steps: z.array(stepSchema).min(1).describe('what the agent does, in order; a text is a shell command'),
});
export type AgentScript = z.output<typeof agentScriptSchema>;
