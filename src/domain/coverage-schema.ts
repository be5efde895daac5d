import * as z from 'zod';
import { lazySchema } from '../shared/lazy-schema.ts';
import { channelSchema } from './capability.ts';

const channelCoverageSchema = lazySchema(() =>
  z.object({
    state: z.enum(['complete', 'partial', 'none']),
    reasons: z.array(z.string()).optional().describe('why it is not complete, each with its place'),
  }),
);

/** How much of one channel was observed. */
export type ChannelCoverage = z.infer<typeof channelCoverageSchema>;

/** Coverage as a record keeps it: without the channels that are complete, which are most. */
export const recordedCoverageSchema = lazySchema(() => z.partialRecord(channelSchema, channelCoverageSchema));
export type RecordedCoverage = z.infer<typeof recordedCoverageSchema>;
