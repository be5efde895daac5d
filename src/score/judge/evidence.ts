import * as z from 'zod';
import type { CriterionAnswer, Evidence } from '../../domain/judge-result.ts';
import { comparable, holdsWords, isInformative } from './quote-match.ts';
import type { ShownTrace } from './show-trace.ts';

/** A passage as a judge gives it. */
export const quoteSchema = z.strictObject({
  event: z.string().describe('the id of the event'),
  quote: z.string().describe('an exact copy of a passage of that event'),
});
type Quote = z.output<typeof quoteSchema>;

/** Looks every quote up in the event it names, as whole words and with its case as it is. */
export function verifyEvidence(
  quotes: readonly Quote[],
  shown: Pick<ShownTrace, 'quotable' | 'unquotable'>,
): Evidence[] {
  return quotes.map(({ event, quote }) => {
    const problem = problemOf(event, comparable(quote), shown);
    return { event, quote, isVerified: problem === undefined, ...(problem !== undefined && { problem }) };
  });
}

function problemOf(
  event: string,
  quote: string,
  { quotable, unquotable }: Pick<ShownTrace, 'quotable' | 'unquotable'>,
): string | undefined {
  const source = unquotable.get(event);
  if (source !== undefined) return `is not evidence: the event holds words of the ${sourceNames[source]}`;
  const texts = (quotable.get(event) ?? []).map(comparable);
  if (quote === '' || !texts.some((text) => holdsWords(text, quote))) return 'is not in the trace';
  if (texts.includes(quote) || isInformative(quote)) return undefined;
  return 'has no word that says something';
}

const sourceNames = { user: 'user', agent: 'agent', tools: 'tools', assay: 'test set-up' } as const;

/** What is wrong with the first quote that counts for nothing, as a sentence; undefined when all of them count. */
export function discardedQuote(evidence: readonly Evidence[]): string | undefined {
  const refused = evidence.find(({ isVerified }) => !isVerified);
  if (!refused) return undefined;
  const { event, quote, problem } = refused;
  return `The judge's quote ${JSON.stringify(shortened(quote))} (event ${event}) ${problem}, so its verdict was discarded`;
}

/** What a judge is asked to correct: every quote that counts for nothing; undefined when all of them count. */
export function quoteComplaint(evidence: readonly Evidence[]): string | undefined {
  const refused = evidence.filter(({ isVerified }) => !isVerified);
  if (refused.length === 0) return undefined;
  const listed = refused.map(
    ({ event, quote, problem }) => `event ${event}, ${JSON.stringify(shortened(quote))}: ${problem}`,
  );
  return `Some quotes cannot be used. ${listed.join('; ')}. Copy whole words of the events that may be quoted, or change the answer.`;
}

const longestShown = 200;

function shortened(quote: string): string {
  return quote.length <= longestShown ? quote : `${quote.slice(0, longestShown)}…`;
}

/** True when something was quoted and all of it is there. */
export function isProven(evidence: readonly Evidence[]): boolean {
  return evidence.length > 0 && evidence.every(({ isVerified }) => isVerified);
}

/**
 * What an answer is worth. One quote that is not there makes it `cannot-tell`: the judge made something up. `met` needs
 * a quote; `not-met` does not, since what did not happen cannot be quoted.
 */
export function provenAnswer(claimed: CriterionAnswer, evidence: readonly Evidence[]): CriterionAnswer {
  if (evidence.some(({ isVerified }) => !isVerified)) return 'cannot-tell';
  return claimed === 'met' && evidence.length === 0 ? 'cannot-tell' : claimed;
}
