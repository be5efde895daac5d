import * as z from 'zod';
import { lazySchema } from '../../shared/lazy-schema.ts';

/** Kinds of faults of a tool call, in the words of files. */
const faultKindSchema = z.enum(['error', 'rate-limit', 'latency', 'timeout', 'dropped', 'empty', 'truncated']);

/** A way in which calls of tools are broken, and the calls that it breaks. */
const toolFaultSchema = lazySchema(() =>
  z
    .strictObject({
      fault: faultKindSchema.describe(
        'failed result (`error`, `rate-limit`), late (`latency`), missing (`timeout`), cut off (`dropped`), without content (`empty`) or half of it (`truncated`)',
      ),
      tool: z
        .union([z.string().min(1), z.array(z.string().min(1)).min(1)])
        .optional()
        .describe('tools whose calls it breaks; all without it'),
      call: z.int().min(1).optional().describe('number of the call of a tool that it breaks, from 1'),
      firstCalls: z.int().min(1).optional().describe('number of first calls of each tool that it breaks'),
      probability: z
        .number()
        .min(0)
        .max(1)
        .optional()
        .describe('share of the calls that it breaks, drawn for each trial'),
      message: z.string().min(1).optional().describe('text of an `error` or a `rate-limit`'),
      retryAfterSecs: z.number().min(0).optional().describe('waiting time in the message of a `rate-limit`'),
      ms: z.int().min(1).max(600_000).optional().describe('delay of a `latency`, in milliseconds'),
    })
    .superRefine(({ fault, ms, message, retryAfterSecs, call, firstCalls }, context) => {
      const refuse = (path: string, text: string): void =>
        context.addIssue({ code: 'custom', path: [path], message: text });
      if (fault === 'latency' && ms === undefined) refuse('fault', 'a `latency` needs `ms`');
      if (fault !== 'latency' && ms !== undefined) refuse('ms', `\`ms\` belongs to a \`latency\`, not to \`${fault}\``);
      if (message !== undefined && fault !== 'error' && fault !== 'rate-limit')
        refuse('message', `\`${fault}\` has no message`);
      if (retryAfterSecs !== undefined && fault !== 'rate-limit')
        refuse('retryAfterSecs', `\`retryAfterSecs\` belongs to a \`rate-limit\`, not to \`${fault}\``);
      if (call !== undefined && firstCalls !== undefined)
        refuse('firstCalls', '`call` and `firstCalls` cannot be used together');
    }),
);
export type ToolFault = z.output<typeof toolFaultSchema>;

/** The section `faults` of a scenario. */
export const faultsSectionSchema = lazySchema(() =>
  z.array(toolFaultSchema).min(1).optional().describe('calls of tools that Assay breaks on purpose'),
);

/** A fault with its place in the file, as `file:line:column`. */
export interface PlacedFault {
  readonly fault: ToolFault;
  readonly place: string;
}
