import { isRecord } from '../../../shared/json.ts';

const deepestLevel = 64;

/** Characters that look like markup, reorder what is read, or are not seen at all. */
const misleading = /[<>&\u007F-\u009F\p{Default_Ignorable_Code_Point}\p{Cf}\p{Co}\p{Zl}\p{Zp}]/gu;

/** A value as one line of JSON in which nothing is hidden and nothing looks like a tag. */
export function encodeData(value: unknown): string {
  return (JSON.stringify(value) ?? 'null').replace(misleading, escapeUnits);
}

/** A copy without secrets in texts, keys and numbers, and no deeper than JSON can be written. */
export function redactData(value: unknown, redact: (text: string) => string, level = 0): unknown {
  if (typeof value === 'string') return redact(value);
  if (typeof value === 'number') return redactNumber(value, redact);
  if (typeof value !== 'object' || value === null) return value;
  if (level === deepestLevel) return `(nested deeper than ${deepestLevel} levels)`;
  if (Array.isArray(value)) return value.map((item) => redactData(item, redact, level + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => [redact(key), redactData(field, redact, level + 1)]),
  );
}

/** Every text inside a value, and the value itself as JSON where it has parts. */
export function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (value === undefined) return [];
  return [JSON.stringify(value), ...textLeaves(value)];
}

function textLeaves(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textLeaves);
  return isRecord(value) ? Object.values(value).flatMap(textLeaves) : [];
}

function redactNumber(value: number, redact: (text: string) => string): number | string {
  const text = String(value);
  const redacted = redact(text);
  return redacted === text ? value : redacted;
}

function escapeUnits(character: string): string {
  return Array.from(
    { length: character.length },
    (_, unit) => `\\u${character.charCodeAt(unit).toString(16).padStart(4, '0')}`,
  ).join('');
}

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
interface CutText {
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

/** Positions to keep within the budget: a third of the budget from the front, the rest from the back. */
export function keepEnds(costs: readonly number[], budget: number): { readonly front: number; readonly back: number } {
  const total = costs.reduce((sum, cost) => sum + cost, 0);
  if (total <= budget) return { front: costs.length, back: costs.length };
  const front = countWithin(costs, budget / 3);
  const spent = costs.slice(0, front).reduce((sum, cost) => sum + cost, 0);
  const back = countWithin(costs.slice(front).reverse(), budget - spent);
  return { front, back: costs.length - back };
}

/** Escapes can make a text six times as long, and its author controls how often. */
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
