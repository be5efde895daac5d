import { encodeData } from './encode-data.ts';

const charactersPerToken = 3;
/** Of a character that is written as an escape of six. */
const mostTokensPerCharacter = 6 / charactersPerToken;
const quotesTokens = 1;

/** About how many tokens a text takes; rather too many than too few. */
export function estimateTokens(text: string): number {
  const wide = text.match(/[^\u0000-\u007F]/g)?.length ?? 0;
  return Math.ceil((text.length - wide) / charactersPerToken) + wide;
}

/** A text without its middle. */
export interface CutText {
  readonly cutCharacters: number;
  readonly head: string;
  readonly tail: string;
}

/** The beginning and the end of a text within a budget, or undefined when all of it fits, encoded as it will be. */
export function cutText(text: string, maxTokens: number): CutText | undefined {
  if (text.length * mostTokensPerCharacter + quotesTokens <= maxTokens) return undefined;
  if (encodedTokens(text) <= maxTokens) return undefined;
  let kept = Math.floor((maxTokens * charactersPerToken) / 2);
  for (;;) {
    const head = withoutHalfCharacters(text.slice(0, kept));
    const tail = kept === 0 ? '' : withoutHalfCharacters(text.slice(-kept));
    if (kept === 0 || encodedTokens(head) + encodedTokens(tail) <= maxTokens) {
      return { cutCharacters: text.length - head.length - tail.length, head, tail };
    }
    kept = Math.floor(kept / 2);
  }
}

/** Positions to keep so that the costs fit: a third of the budget from the front, the rest from the back. */
export function keepEnds(costs: readonly number[], budget: number): { readonly front: number; readonly back: number } {
  const total = costs.reduce((sum, cost) => sum + cost, 0);
  if (total <= budget) return { front: costs.length, back: costs.length };
  const front = countWithin(costs, budget / 3);
  const spent = costs.slice(0, front).reduce((sum, cost) => sum + cost, 0);
  const back = countWithin(costs.slice(front).reverse(), budget - spent);
  return { front, back: costs.length - back };
}

/** Escapes can make a text six times as long, and whoever wrote the text chooses how often. */
function encodedTokens(text: string): number {
  return estimateTokens(encodeData(text));
}

function countWithin(costs: readonly number[], budget: number): number {
  let spent = 0;
  const over = costs.findIndex((cost) => {
    spent += cost;
    return spent > budget;
  });
  return over === -1 ? costs.length : over;
}

function withoutHalfCharacters(text: string): string {
  return text.replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, '');
}
