import type { MCPTestContext } from '../eval-types.ts';
import { share } from './within-unit.ts';

const toolWords = ['tool', 'function', 'call'];
const workflowWords = ['step', 'process', 'workflow'];

/** How near a text is to the expected one and to what the case is about: at most 0.4. */
export function relevance(text: string, expected: string | undefined, { testCase, tools }: MCPTestContext): number {
  const about = testCase.name?.toLowerCase() ?? '';
  const said = text.toLowerCase();
  const hasWordsOfCase =
    (about.includes('tool') && hasOneOf(said, toolWords)) ||
    (about.includes('workflow') && hasOneOf(said, workflowWords));
  const namesTool = tools.some(({ name }) => said.includes(name.toLowerCase()));
  return nearness(text, expected) + (hasWordsOfCase ? 0.05 : 0) + (namesTool ? 0.1 : 0);
}

function nearness(text: string, expected: string | undefined): number {
  if (expected === undefined || expected.trim() === '') return text.length > 10 ? 0.15 : 0;
  const words = expected.split(/\s+/).filter((word) => word.length > 2);
  const shared = words.filter((word) => text.includes(word));
  return 0.2 * share(shared.length, words) + (words.length > 0 && isOfLikeLength(text, expected) ? 0.05 : 0);
}

function isOfLikeLength(text: string, expected: string): boolean {
  return Math.min(text.length, expected.length) > 0.5 * Math.max(text.length, expected.length);
}

function hasOneOf(text: string, words: readonly string[]): boolean {
  return words.some((word) => text.includes(word));
}
