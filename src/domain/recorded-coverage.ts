import * as z from 'zod';
import { lazySchema } from '../shared/lazy-schema.ts';
import { channelSchema } from './capability.ts';
import { channelCoverageSchema, coverageOf } from './coverage.ts';
import type { Trace } from './trace.ts';

/** Coverage as a record keeps it: without the channels that are complete, which are most. */
export const recordedCoverageSchema = lazySchema(() => z.partialRecord(channelSchema, channelCoverageSchema));
export type RecordedCoverage = z.infer<typeof recordedCoverageSchema>;

/** A trace may have lost something in each of a million lines; the record names the first, the trace has them all. */
const mostReasons = 10;

/** The channels of a trial that were not observed completely. */
export function recordedCoverage(trace: Trace): RecordedCoverage {
  return Object.fromEntries(
    Object.entries(coverageOf(trace))
      .filter(([, { state }]) => state !== 'complete')
      .map(([channel, { state, reasons = [] }]) => [channel, { state, reasons: firstOf(reasons) }]),
  );
}

function firstOf(reasons: readonly string[]): string[] {
  const distinct = [...new Set(reasons)];
  const more = distinct.length - mostReasons;
  return more > 0 ? [...distinct.slice(0, mostReasons), `and ${more} more`] : distinct;
}
