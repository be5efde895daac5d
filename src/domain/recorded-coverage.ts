import { channels } from './capability.ts';
import { coverageOf } from './coverage.ts';
import type { RecordedCoverage } from './coverage-schema.ts';
import type { Trace } from './trace.ts';

/** A trace may have lost something in each of a million lines; the record names the first, the trace has them all. */
const mostReasons = 10;

/** The channels of a trial that were not observed completely. */
export function recordedCoverage(trace: Trace): RecordedCoverage {
  const coverage = coverageOf(trace);
  const recorded: RecordedCoverage = {};
  for (const channel of channels) {
    const { state, reasons = [] } = coverage[channel];
    if (state === 'partial') recorded[channel] = { state, reasons: firstOf(reasons) };
    else if (state === 'none') recorded[channel] = coverage[channel];
  }
  return recorded;
}

function firstOf(reasons: readonly string[]): string[] {
  const distinct = [...new Set(reasons)];
  const more = distinct.length - mostReasons;
  return more > 0 ? [...distinct.slice(0, mostReasons), `and ${more} more`] : distinct;
}
