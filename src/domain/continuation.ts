import * as z from 'zod';
import { costText, counted } from '../shared/format.ts';
import { lazySchema } from '../shared/lazy-schema.ts';
import { eventsOf, type Trace } from './trace.ts';

/** Kind of the event with which a trial goes on from an attempt whose process ended, or starts from the beginning. */
export const continuationKind = 'continuation';

export const continuationSchema = lazySchema(() =>
  z.object({
    calls: z.int().min(0).describe('model calls of the attempt before that were answered'),
    underWay: z.int().min(1).optional().describe('its calls without a reply, which the provider may bill twice'),
    restarted: z
      .string()
      .optional()
      .describe('why the trial started from the beginning; absent where it went on from these calls'),
    costUsd: z
      .number()
      .nullable()
      .optional()
      .describe(
        'of a trial that started from the beginning: cost of these calls, beside that of the trial; null: unknown',
      ),
  }),
);
export type Continuation = z.infer<typeof continuationSchema>;

/** How a trial went on; undefined for one that ran in one piece. */
export function continuationIn(trace: Trace): Continuation | undefined {
  const event = eventsOf(trace, 'other').find(({ kind }) => kind === continuationKind);
  return event && continuationSchema.parse(event.data);
}

export function continuationText({ calls, underWay, restarted, costUsd }: Continuation): string {
  const before = counted(calls, 'model call');
  const open = underWay ? ` ${counted(underWay, 'call')} without a reply may be billed twice.` : '';
  if (restarted === undefined) return `Went on from a tape of ${before}, after its process had ended.${open}`;
  const cost = costUsd == null ? '' : ` (${costText(costUsd)})`;
  const paid =
    calls > 0 ? ` The ${before}${cost} of the attempt before ${calls === 1 ? 'is' : 'are'} not a part of it.` : '';
  return `Started from the beginning, after its process had ended: ${restarted}.${paid}${open}`;
}
