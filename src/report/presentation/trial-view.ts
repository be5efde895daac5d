import { gapEvents } from '../../domain/coverage-text.ts';
import { answerIn, type FoundText, inputIn, textOf } from '../../domain/excerpt.ts';
import type { TrialRecord } from '../../domain/record.ts';
import type { Trace } from '../../domain/trace.ts';
import { shorten } from '../../shared/text.ts';

/** The input or answer of a trial, and its place in the trace. */
interface TrialText {
  text: string;
  isCut: boolean;
  event: number;
}

/** Facts of a trace that the page of its trial shows before the events. */
interface TraceFacts {
  eventCount: number;
  /** Null where the trace has none. */
  input: TrialText | null;
  answer: TrialText | null;
  /** Places of the losses that the record names; the trace may have many more. */
  gaps: { text: string; event: number }[];
}

export function traceFacts({ coverage = {} }: TrialRecord, trace: Trace): TraceFacts {
  const named = new Set(Object.values(coverage).flatMap(({ reasons = [] }) => reasons));
  return {
    eventCount: trace.length,
    input: shownText(inputIn(trace)),
    answer: shownText(answerIn(trace)),
    gaps: [...gapEvents(trace)].filter(([text]) => named.has(text)).map(([text, event]) => ({ text, event })),
  };
}

const longestText = 20_000;

function shownText(found: FoundText | undefined): TrialText | null {
  const text = found && textOf(found.value);
  if (!found || text === undefined) return null;
  return { text: shorten(text, longestText), isCut: text.length > longestText, event: found.index };
}
