import { ownWords } from '../../shared/redaction/own-words.ts';
import { channels } from '../capability.ts';
import type { RecordedCoverage } from '../coverage-schema.ts';
import { channelsOnRequest } from '../coverage-text.ts';
import type { Trace } from '../trace.ts';
import { channelCoverage, unreportedCoverage } from './coverage.ts';

/** A trace may have lost something in each of a million lines; the record names the first, the trace has them all. */
const mostReasons = 10;

/** The channels of a trial that were not observed completely. */
export function recordedCoverage(trace: Trace): RecordedCoverage {
  let lost: RecordedCoverage | undefined;
  let unreported = 0;
  let bit = 1;
  for (const channel of channels) {
    const { state, reasons = [] } = channelCoverage(trace, channel);
    if (state === 'none' && !channelsOnRequest.has(channel)) unreported |= bit;
    if (state === 'partial') lost = { ...lost, [channel]: { state, reasons: firstOf(reasons) } };
    bit <<= 1;
  }
  return lost ? { ...withoutLosses(unreported), ...lost } : withoutLosses(unreported);
}

const coverageWithoutLosses = new Map<number, RecordedCoverage>();

/** Trials of a scenario report the same channels, so most share one object, which has no secrets to look for. */
function withoutLosses(unreported: number): RecordedCoverage {
  const earlier = coverageWithoutLosses.get(unreported);
  if (earlier) return earlier;
  const silent = channels.filter((_, index) => unreported & (1 << index));
  const coverage = ownWords(Object.fromEntries(silent.map((channel) => [channel, unreportedCoverage(channel)])));
  coverageWithoutLosses.set(unreported, coverage);
  return coverage;
}

function firstOf(reasons: readonly string[]): string[] {
  const distinct = [...new Set(reasons)];
  const more = distinct.length - mostReasons;
  return more > 0 ? [...distinct.slice(0, mostReasons), `and ${more} more`] : distinct;
}
