import type { JudgedPair, PairQuote, ShownOrder } from '../compare/judged-pair.ts';

/** Which attempt a judge prefers, in a word or two. */
export const winnerWords: Readonly<Record<JudgedPair['winner'], string>> = {
  a: 'A wins',
  b: 'B wins',
  tie: 'tie',
  'order-dependent': 'tie: order decides',
  'not-judged': 'not judged',
};

const preferredWords: Readonly<Record<ShownOrder['preferred'], string>> = {
  a: 'prefers A',
  b: 'prefers B',
  tie: 'prefers neither',
  'cannot-tell': 'cannot tell',
};

/** `A shown first: prefers B`. */
export function orderText({ first, preferred }: ShownOrder): string {
  return `${first.toUpperCase()} shown first: ${preferredWords[preferred]}`;
}

/** `B, e2, verified`. */
export function quoteSourceText({ side, event, isVerified }: PairQuote): string {
  const place = side === null ? event : `${side.toUpperCase()}, ${event}`;
  return `${place}, ${isVerified ? 'verified' : 'not in the trace'}`;
}
