import type { Arguments } from '../arguments/call-arguments.ts';
import type { ListedTool } from '../definitions/listed-server.ts';
import { meaningfulWords } from '../definitions/words.ts';
import { type ToolPrompt, toolPrompts } from './tool-prompts.ts';
import { nameWish, wishesFor } from './wish.ts';

/** Where the words come from that say which tool of a pair is wanted. */
export type PromptBasis = 'descriptions' | 'names';

interface PairPromptRequest {
  /** How many for both together. */
  readonly count: number;
  readonly seed: number;
  readonly toolNames: readonly string[];
  readonly known?: ReadonlyMap<string, readonly Arguments[]> | undefined;
}

/**
 * Requests for each tool of a pair in words that do not fit the other as well: those of the descriptions where they
 * differ, else those of the names. Undefined where neither says which tool is wanted.
 */
export function pairPrompts(
  [a, b]: readonly [ListedTool, ListedTool],
  { count, seed, toolNames, known }: PairPromptRequest,
) {
  const bases: readonly (readonly [PromptBasis, (tool: ListedTool) => readonly string[]])[] = [
    ['descriptions', (tool) => wishesFor(tool, toolNames)],
    ['names', (tool) => [nameWish(tool)]],
  ];
  for (const [basis, wishesOf] of bases) {
    const forA = wishesOnlyFor(wishesOf(a), wishesOf(b));
    const forB = wishesOnlyFor(wishesOf(b), wishesOf(a));
    if (forA.length === 0 || forB.length === 0) continue;
    const make = (tool: ListedTool, wishes: readonly string[], own: number): ToolPrompt[] =>
      toolPrompts(tool, { count: own, seed, toolNames, wishes, known: known?.get(tool.name) });
    return { basis, prompts: inTurns(make(a, forA, Math.ceil(count / 2)), make(b, forB, Math.floor(count / 2))) };
  }
  return undefined;
}

/** Wishes that are not in other words those of the other tool. */
function wishesOnlyFor(wishes: readonly string[], others: readonly string[]): string[] {
  const keyOf = (wish: string): string => [...new Set(meaningfulWords(wish))].sort().join(' ');
  const taken = new Set(others.map(keyOf));
  return wishes.filter((wish) => !taken.has(keyOf(wish)));
}

function inTurns<Item>(a: readonly Item[], b: readonly Item[]): Item[] {
  const longest = Math.max(a.length, b.length);
  return Array.from({ length: longest }, (_, index) => [a[index], b[index]])
    .flat()
    .filter((item) => item !== undefined);
}
