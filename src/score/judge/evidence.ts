import * as z from 'zod';
import type { CriterionAnswer, Evidence } from '../../domain/judge-result.ts';
import { shorten } from '../../shared/text.ts';
import type { ShownTrace } from './show-trace.ts';

const words = new Intl.Segmenter('en', { granularity: 'word' });

/** Scripts that are written without spaces: a quote may begin and end at any of their characters. */
const unspaced =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]$/u;

/** Words that occur in nearly every text, so finding them proves nothing. */
const stopWords: ReadonlySet<string> = new Set(
  `a an and are as at be been but by can could did do does for from had has have he her his i if in is it its may me
  my of on or our she so
  that the their them then there these they this to was we were will with would you your`.split(/\s+/),
);

/** The form in which quotes and texts are compared: NFKC, and every run of white space as one blank. */
export function comparable(text: string): string {
  return text.normalize('NFKC').replace(/\s+/gu, ' ').trim();
}

/** A digit, or a word of ASCII letters with separators around it, is clear without a segmenter, which takes far longer. */
function isClearlyInformative(quote: string): boolean {
  if (/[0-9]/.test(quote)) return true;
  return quote.split(/[ "()[\]{}]+/).some((word) => /^[a-z]{2,}$/i.test(word) && !stopWords.has(word.toLowerCase()));
}

/** Whether a quote says something: a word of two letters or more that is not a stop word, a number, or an ideograph. */
function isInformative(quote: string): boolean {
  if (isClearlyInformative(quote)) return true;
  for (const { segment, isWordLike } of words.segment(quote)) {
    if (!isWordLike || stopWords.has(segment.toLowerCase())) continue;
    if (/\p{N}/u.test(segment) || [...segment].length > 1 || unspaced.test(segment)) return true;
  }
  return false;
}

/** Whether a text holds a quote as whole words; both in comparable form. */
function holdsWords(text: string, quote: string): boolean {
  for (let at = text.indexOf(quote); at !== -1; at = text.indexOf(quote, at + 1)) {
    if (isBoundary(text, at) && isBoundary(text, at + quote.length)) return true;
  }
  return false;
}

/** Characters that never belong to a word with a letter or a digit of ASCII beside them. */
const separators: ReadonlySet<string> = new Set(' "()[]{}');

/** The borders that need no segmenter, which takes longer than all else that is done for a quote. */
function clearBoundary(before: string, after: string): boolean | undefined {
  const [joinsBefore, joinsAfter] = [/^[a-z0-9]$/i.test(before), /^[a-z0-9]$/i.test(after)];
  if (joinsBefore && joinsAfter) return false;
  if ((joinsBefore && separators.has(after)) || (joinsAfter && separators.has(before))) return true;
  return undefined;
}

function isBoundary(text: string, at: number): boolean {
  if (at === 0 || at === text.length) return true;
  const clear = clearBoundary(text.charAt(at - 1), text.charAt(at));
  if (clear !== undefined) return clear;
  const before = String.fromCodePoint(text.codePointAt(at - (isLowSurrogate(text, at - 1) ? 2 : 1)) ?? 0);
  const after = String.fromCodePoint(text.codePointAt(at) ?? 0);
  if (unspaced.test(before) || unspaced.test(after)) return true;
  return words.segment(text).containing(at)?.index === at;
}

function isLowSurrogate(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/** A passage as a judge gives it. */
export const quoteSchema = z.object({
  event: z.string(),
  quote: z.string(),
});
type Quote = z.output<typeof quoteSchema>;

/** Looks every quote up in the event it names, as whole words and with its case as it is. */
export function verifyEvidence(
  quotes: readonly Quote[],
  prompted: Pick<ShownTrace, 'quotable' | 'unquotable'>,
): Evidence[] {
  return quotes.map(({ event, quote }) => {
    const problem = problemOf(event, comparable(quote), prompted);
    return { event, quote, isVerified: problem === undefined, ...(problem !== undefined && { problem }) };
  });
}

function problemOf(
  event: string,
  quote: string,
  { quotable, unquotable }: Pick<ShownTrace, 'quotable' | 'unquotable'>,
): string | undefined {
  const source = unquotable.get(event);
  if (source !== undefined) return `is not evidence: the event contains words of the ${sourceNames[source]}`;
  const texts = (quotable.get(event) ?? []).map(comparable);
  if (quote === '' || !texts.some((text) => holdsWords(text, quote))) return 'is not in the trace';
  if (texts.includes(quote) || isInformative(quote)) return undefined;
  return 'contains no meaningful word';
}

const sourceNames = { user: 'user', agent: 'agent', tools: 'tools', assay: 'test set-up' } as const;

/** Explains why the first invalid quote was discarded; undefined when all quotes are valid. */
export function discardedQuote(evidence: readonly Evidence[]): string | undefined {
  const refused = evidence.find(({ isVerified }) => !isVerified);
  if (!refused) return undefined;
  const { event, quote, problem } = refused;
  return `The judge's quote ${JSON.stringify(shorten(quote, longestShown))} (event ${event}) ${problem}, so its verdict was discarded`;
}

/** Correction request for the judge, with every invalid quote; undefined when all quotes are valid. */
export function quoteComplaint(evidence: readonly Evidence[]): string | undefined {
  const refused = evidence.filter(({ isVerified }) => !isVerified);
  if (refused.length === 0) return undefined;
  const listed = refused.map(
    ({ event, quote, problem }) => `event ${event}, ${JSON.stringify(shorten(quote, longestShown))}: ${problem}`,
  );
  return `Some quotes cannot be used. ${listed.join('; ')}. Copy whole words of the events that may be quoted, or change the answer.`;
}

const longestShown = 200;

/** True when something was quoted and all of it is there. */
export function isProven(evidence: readonly Evidence[]): boolean {
  return evidence.length > 0 && evidence.every(({ isVerified }) => isVerified);
}

/**
 * Answer that the evidence supports. One quote that is not in the trace leaves the criterion undecided: the judge invented it. `met` needs
 * a quote; `not-met` does not, since what did not happen cannot be quoted.
 */
export function provenAnswer(claimed: CriterionAnswer, evidence: readonly Evidence[]): CriterionAnswer {
  if (evidence.some(({ isVerified }) => !isVerified)) return 'cannot-tell';
  return claimed === 'met' && evidence.length === 0 ? 'cannot-tell' : claimed;
}
