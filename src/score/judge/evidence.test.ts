import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TraceEvent } from '../../domain/trace.ts';
import { bookingTrace, message } from '../../testing/fakes/judge/sample-subject.ts';
import { comparable, provenAnswer, verifyEvidence } from './evidence.ts';
import { showTrace } from './show-trace.ts';

const mixed = message('assistant', 'Yes, it is €45.50 for 42. 您的餐位已预订。 For 45\u00A0people at the café.');
const usage: TraceEvent = { type: 'usage', at: 1, seenBy: 'agent', inputTokens: 1728, outputTokens: 3 };
const trace = [...bookingTrace, message('assistant', 'ok'), message('assistant', 'a “quoted” <b>\ttab'), mixed, usage];
const prompt = showTrace({ trace }, { redact: (text) => text, tokenBudget: 10_000 });
const isVerified = (event: string, quote: string) => verifyEvidence([{ event, quote }], prompt)[0]?.isVerified;

describe('verifyEvidence', () => {
  it.each([
    ['a passage of a message', 'e4', 'The reference is BK-7731.'],
    ['a passage across lines', 'e4', 'booked.\nThe reference'],
    ['a text inside a result', 'e3', 'BK-7731'],
    ['the JSON of a result', 'e3', '"status":"confirmed"'],
    ['the JSON of an input', 'e2', '{"guests":2,"time":"19:30"}'],
    ['the name of a tool', 'e2', 'book_table'],
    ['a short text as a whole', 'e5', 'ok'],
    ['other white space', 'e4', 'booked. The  reference '],
    ['an amount inside a sentence', 'e7', '€45.50'],
    ['a number as a word', 'e7', '42'],
    ['one word', 'e7', 'Yes'],
    ['ideographs inside a sentence', 'e7', '已预订'],
    ['a space where the text has one that does not break', 'e7', '45 people'],
    ['decomposed letters', 'e7', 'cafe\u0301'],
    ['characters that were shown escaped', 'e6', '“quoted” <b>\ttab'],
  ])('verifies %s', (_what, event, quote) => {
    expect(isVerified(event, quote)).toBe(true);
  });

  it.each([
    ['a passage of another event', 'e1', 'The reference is BK-7731.'],
    ['other letters', 'e4', 'the reference is BK-7731.'],
    ['a word of the user', 'e1', 'Book a table for two'],
    ['letters inside a word', 'e4', 'able'],
    ['half of a number', 'e7', '50'],
    ['stop words', 'e4', 'is'],
    ['several stop words', 'e7', 'it is'],
    ['a figure that Assay wrote', 'e8', '1728'],
    ['letters inside a word with marks', 'e7', 'caf'],
    ['an ellipsis', 'e4', 'Your table … BK-7731'],
    ['an unknown event', 'e77', 'BK-7731'],
    ['a property of every object', 'constructor', 'BK-7731'],
    ['nothing', 'e4', ''],
    ['blanks', 'e4', ' '],
    ['a few letters out of many', 'e4', 'ab'],
    ['the label of an event', 'e3', 'tool-result'],
  ])('does not verify %s', (_what, event, quote) => {
    expect(isVerified(event, quote)).toBe(false);
  });
});

const words = new Intl.Segmenter('en', { granularity: 'word' });

describe('borders of words', () => {
  /** Where words and what stands between them begin and end. */
  const borders = (text: string): Set<number> =>
    new Set([...Array.from(words.segment(text), ({ index }) => index), text.length]);

  const isInWholeWords = (text: string, quote: string): boolean => {
    const places = borders(text);
    return Array.from(text, (_, at) => at).some(
      (at) => text.startsWith(quote, at) && places.has(at) && places.has(at + quote.length),
    );
  };

  it('are those of Unicode, also where they are known without looking them up', () => {
    const character = fc.constantFrom(...'aZ09 "(]{.,:\'_-', '\u0301', '\u200D', 'é', 'א');
    const texts = fc.string({ unit: character, minLength: 2, maxLength: 6 });
    fc.assert(
      fc.property(texts, (drawn) => {
        const text = `<${comparable(drawn)}>`;
        const prompted = { quotable: new Map([['e1', [text]]]), unquotable: new Map() };
        for (let from = 1; from < text.length - 1; from++) {
          for (let end = from + 1; end < text.length; end++) {
            const quote = text.slice(from, end);
            if (comparable(quote) !== quote) continue;
            const [evidence] = verifyEvidence([{ event: 'e1', quote }], prompted);
            expect(evidence?.problem === 'is not in the trace').toBe(!isInWholeWords(text, quote));
          }
        }
      }),
      { seed: 71, numRuns: 500 },
    );
  });
});

describe('a quote with meaning', () => {
  /** Whether a word that is not a stop word is among those of Unicode. */
  const hasWord = (quote: string): boolean =>
    Array.from(words.segment(quote)).some(
      ({ segment, isWordLike }) =>
        isWordLike && !/^(?:a|is|to)$/i.test(segment) && (/\p{N}/u.test(segment) || segment.length > 1),
    );

  it('has a word of Unicode, also where that is clear without looking it up', () => {
    const piece = fc.constantFrom('is', 'a', 'To', 'ab', 'X', '7', ' ', ' ', '"', '(', '.', "'", '-', '_', ':');
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 5 }), (pieces) => {
        const quote = comparable(pieces.join(''));
        if (quote === '') return;
        const prompted = { quotable: new Map([['e1', [`( ${quote} )`]]]), unquotable: new Map() };
        const [evidence] = verifyEvidence([{ event: 'e1', quote }], prompted);
        expect(evidence?.problem === undefined).toBe(hasWord(quote));
      }),
      { seed: 72, numRuns: 500 },
    );
  });
});

describe('provenAnswer', () => {
  const verified = { event: 'e3', quote: 'BK-7731', isVerified: true };
  const madeUp = { event: 'e3', quote: 'paid', isVerified: false };

  it('believes what is quoted, and absence without a quote', () => {
    expect(provenAnswer('met', [verified])).toBe('met');
    expect(provenAnswer('not-met', [verified])).toBe('not-met');
    expect(provenAnswer('not-met', [])).toBe('not-met');
  });

  it('leaves a criterion undecided when a quote is invented, or when nothing proves that it is met', () => {
    expect(provenAnswer('met', [])).toBe('cannot-tell');
    expect(provenAnswer('met', [verified, madeUp])).toBe('cannot-tell');
    expect(provenAnswer('not-met', [madeUp])).toBe('cannot-tell');
    expect(provenAnswer('cannot-tell', [verified])).toBe('cannot-tell');
  });
});
