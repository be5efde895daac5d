import { coverageOf } from './coverage.ts';
import type { RecordedCoverage } from './coverage-schema.ts';
import type { Trace } from './trace.ts';

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
