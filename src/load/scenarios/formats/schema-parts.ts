import * as z from 'zod';
import { lazySchema } from '../../../shared/lazy-schema.ts';

/** Marks a schema whose value may also be written as text; used for JSON Schemas. */
export const alsoText = { alsoText: true } as const;

/** A value that may also be written as text, which `meaning` converts. */
export function orText<Schema extends z.ZodType>(meaning: (text: string) => unknown, schema: Schema) {
  return z.preprocess((value) => (typeof value === 'string' ? meaning(value) : value), schema).meta(alsoText);
}

const texts = lazySchema(() => orText((text) => [text], z.array(z.string().min(1)).min(1)).optional());
const filledText = (message: string) => z.string().refine((text) => text.trim() !== '', { message });

/** `target:` of the config, and of a scenario: the program under test. */
export const sharedTargetSchema = lazySchema(() =>
  z.strictObject({
    binary: filledText('`target.binary` must not be empty')
      .optional()
      .describe('name or path of the program under test'),
    binaries: texts.describe('further programs under test, which are recorded like `binary`'),
    command_pattern: z
      .string()
      .optional()
      .describe('regular expression for its commands in a transcript; a group captures the subcommand'),
    health_check: z.string().optional().describe('shell command that must succeed before the agent starts'),
    health_check_after: z
      .boolean()
      .optional()
      .describe('also run `health_check` after the agent ended; a failure makes the trial an `error`'),
    env: z.record(z.string(), z.string()).default({}).describe('environment variables; `${VAR}` is expanded'),
    inputs: texts.describe('files, folders or patterns that the tool depends on, for `--reuse`'),
  }),
);
/** A CLI tool that several scenarios share; `${VAR}` in its variables is not expanded yet. */
export type SharedTarget = z.output<typeof sharedTargetSchema>;

/** `worker:` of a scenario file: requirements on the machine that runs its trials. */
export const workerSectionSchema = lazySchema(() =>
  z
    .strictObject({ tags: z.array(z.string().min(1)).default([]).describe('tags that a worker must have') })
    .optional()
    .describe('which workers may run the trials of a distributed run'),
);

/** `source:` of a scenario file that was made from something else. */
export const sourceSectionSchema = lazySchema(() =>
  z
    .strictObject({
      trial: z.string().min(1).optional().describe('id of the trial that it was promoted from'),
      run: z.string().min(1).optional().describe('id of the run of that trial'),
      trace: z.string().min(1).optional().describe('file with the trace that it was promoted from'),
      tool: z.string().min(1).optional().describe('tool that its cases were generated from'),
    })
    .optional()
    .describe('what `assay cases promote` or `assay cases generate` made the file from'),
);
