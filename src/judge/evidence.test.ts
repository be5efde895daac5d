import { describe, expect, it } from 'vitest';
import { provenAnswer, verifyEvidence } from './evidence.ts';
import { bookingTrace, message } from './fakes/sample-subject.ts';
import { showTrace } from './show-trace.ts';

const trace = [...bookingTrace, message('assistant', 'ok'), message('assistant', 'a “quoted” <b>\ttab')];
const shown = showTrace({ trace }, { redact: (text) => text, tokenBudget: 10_000 });
const isVerified = (event: string, quote: string) => verifyEvidence([{ event, quote }], shown)[0]?.isVerified;

describe('verifyEvidence', () => {
  it.each([
    ['a passage of a message', 'e4', 'The reference is BK-7731.'],
    ['a passage across lines', 'e4', 'booked.\nThe reference'],
    ['a text inside a result', 'e3', 'BK-7731'],
    ['the JSON of a result', 'e3', '"status":"confirmed"'],
    ['the JSON of an input', 'e2', '{"guests":2,"time":"19:30"}'],
    ['the name of a tool', 'e2', 'book_table'],
    ['a short text as a whole', 'e5', 'ok'],
    ['characters that were shown escaped', 'e6', '“quoted” <b>\ttab'],
  ])('verifies %s', (_what, event, quote) => {
    expect(isVerified(event, quote)).toBe(true);
  });

  it.each([
    ['a passage of another event', 'e1', 'The reference is BK-7731.'],
    ['other letters', 'e4', 'the reference is BK-7731.'],
    ['other blanks', 'e4', 'booked. The reference'],
    ['a blank too many', 'e4', 'The reference  is'],
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

describe('provenAnswer', () => {
  const verified = { event: 'e3', quote: 'BK-7731', isVerified: true };
  const madeUp = { event: 'e3', quote: 'paid', isVerified: false };

  it('believes what is quoted, and absence without a quote', () => {
    expect(provenAnswer('met', [verified])).toBe('met');
    expect(provenAnswer('not-met', [verified])).toBe('not-met');
    expect(provenAnswer('not-met', [])).toBe('not-met');
  });

  it('cannot tell when something was made up, or when nothing shows what should have happened', () => {
    expect(provenAnswer('met', [])).toBe('cannot-tell');
    expect(provenAnswer('met', [verified, madeUp])).toBe('cannot-tell');
    expect(provenAnswer('not-met', [madeUp])).toBe('cannot-tell');
    expect(provenAnswer('cannot-tell', [verified])).toBe('cannot-tell');
  });
});
