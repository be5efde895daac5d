import * as z from 'zod';
import type { CriterionAnswer, Evidence } from '../domain/judge-result.ts';
import type { ShownTrace } from './show-trace.ts';

/** A passage as a judge gives it. */
export const quoteSchema = z.strictObject({
  event: z.string().describe('the id of the event'),
  quote: z.string().describe('an exact copy of a passage of that event'),
});
type Quote = z.output<typeof quoteSchema>;

/** Shorter quotes are found in almost any text and show nothing, unless they are all there is. */
const shortestQuote = 4;

/** Looks every quote up in the event it names, to the letter and to the blank. */
export function verifyEvidence(quotes: readonly Quote[], { quotable }: ShownTrace): Evidence[] {
  return quotes.map(({ event, quote }) => ({
    event,
    quote,
    isVerified: (quotable.get(event) ?? []).some((text) => isQuoteOf(quote, text)),
  }));
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

function isQuoteOf(quote: string, text: string): boolean {
  if (quote.trim() === '') return false;
  return quote === text || (quote.trim().length >= shortestQuote && text.includes(quote));
}
