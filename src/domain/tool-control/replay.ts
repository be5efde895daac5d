import * as z from 'zod';
import { lazySchema } from '../../shared/lazy-schema.ts';

/** The section `replay` of a scenario. */
export const replaySectionSchema = lazySchema(() =>
  z
    .strictObject({
      match: z
        .enum(['state', 'strict', 'order', 'loose'])
        .default('state')
        .describe(
          'which recorded call answers: one after the same calls, the very next one, the next one of the tool, or one after the most similar calls',
        ),
      miss: z
        .enum(['error', 'tool-error', 'real'])
        .default('error')
        .describe(
          'a call that is not recorded makes the trial an error, gets an error result, or reaches the real tool',
        ),
    })
    .optional()
    .describe('how recorded tool calls answer with `--replay-tools`'),
);

/** How recorded calls answer the calls of a scenario. */
export type ReplayRules = NonNullable<z.output<typeof replaySectionSchema>>;

export const usualReplay: ReplayRules = { match: 'state', miss: 'error' };

/** Where the tool calls of a run are recorded or replayed from. */
export interface ToolTapesRequest {
  readonly mode: 'record' | 'replay';
  /** Relative to the project. */
  readonly folder: string;
}

/** The recordings of a run's options; undefined where calls are neither recorded nor replayed. */
export function toolTapesOf({
  recordTools,
  replayTools,
}: {
  readonly recordTools?: string | undefined;
  readonly replayTools?: string | undefined;
}): ToolTapesRequest | undefined {
  const folder = recordTools ?? replayTools;
  return folder === undefined ? undefined : { mode: recordTools === undefined ? 'replay' : 'record', folder };
}
