import { shorten } from '../../../shared/text.ts';
import type { EvalScorer, MCPTestContext } from '../eval-types.ts';
import { expectedText, outputText } from '../output.ts';
import { callableScorer, share, withinUnit } from './scorer.ts';

const toolWords = ['tool', 'function', 'call'];
const workflowWords = ['step', 'process', 'workflow'];

/** How near a text is to the expected one and to what the case is about: at most 0.4. */
function relevance(text: string, expected: string | undefined, { testCase, tools }: MCPTestContext): number {
  const about = testCase.name?.toLowerCase() ?? '';
  const lowered = text.toLowerCase();
  const hasWordsOfCase =
    (about.includes('tool') && hasOneOf(lowered, toolWords)) ||
    (about.includes('workflow') && hasOneOf(lowered, workflowWords));
  const namesTool = tools.some(({ name }) => lowered.includes(name.toLowerCase()));
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

export interface ContentScorerOptions {
  /** The text must be what is expected and nothing else; the other settings do not count then. */
  readonly exactMatch?: boolean;
  readonly caseSensitive?: boolean;
  readonly patterns?: readonly RegExp[];
  readonly requiredKeywords?: readonly string[];
  readonly forbiddenKeywords?: readonly string[];
}

class Content implements EvalScorer {
  readonly name: string = 'Content Quality Evaluation';
  readonly #options: Required<ContentScorerOptions>;

  constructor(options: ContentScorerOptions = {}) {
    const { exactMatch = false, caseSensitive = false } = options;
    const { patterns = [], requiredKeywords = [], forbiddenKeywords = [] } = options;
    this.#options = { exactMatch, caseSensitive, patterns, requiredKeywords, forbiddenKeywords };
  }

  score(output: unknown, expected: unknown, context: MCPTestContext): number {
    const text = this.#comparable(outputText(output));
    const wanted = expectedText(expected);
    if (this.#options.exactMatch) return wanted !== undefined && text === this.#comparable(wanted) ? 1 : 0;
    const { patterns, requiredKeywords, forbiddenKeywords } = this.#options;
    const forbidden = forbiddenKeywords.length === 0 ? 0 : share(this.#forbiddenIn(text).length, forbiddenKeywords);
    return withinUnit(
      0.3 * share(this.#matching(outputText(output)).length, patterns) +
        0.3 * share(requiredKeywords.length - this.#missingIn(text).length, requiredKeywords) -
        0.3 * forbidden +
        relevance(text, wanted === undefined ? undefined : this.#comparable(wanted), context),
    );
  }

  explain(output: unknown, expected: unknown): string {
    const answer = outputText(output);
    const text = this.#comparable(answer);
    const { exactMatch, patterns } = this.#options;
    if (exactMatch) return exactExplanation(answer, expectedText(expected));
    const unmatched = patterns.filter((pattern) => !this.#matching(answer).includes(pattern));
    const parts = [
      ...(unmatched.length > 0 ? [`does not match ${unmatched.join(', ')}`] : []),
      ...this.#missingIn(text).map((keyword) => `lacks "${keyword}"`),
      ...this.#forbiddenIn(text).map((keyword) => `must not have "${keyword}"`),
    ];
    return `${parts.length === 0 ? 'Has all requested content' : `The text ${parts.join(', ')}`}: ${excerpt(answer)}`;
  }

  #comparable(text: string): string {
    return this.#options.caseSensitive ? text : text.toLowerCase();
  }

  /** A copy of each pattern, because one with the flag `g` would go on where it stopped the last time. */
  #matching(answer: string): RegExp[] {
    const more = this.#options.caseSensitive ? '' : 'i';
    return this.#options.patterns.filter((pattern) => {
      const flags = pattern.flags.replaceAll(/[gyi]/g, '') + (pattern.ignoreCase ? 'i' : more);
      return new RegExp(pattern.source, flags).test(answer);
    });
  }

  #missingIn(text: string): string[] {
    return this.#options.requiredKeywords.filter((keyword) => !text.includes(this.#comparable(keyword)));
  }

  #forbiddenIn(text: string): string[] {
    return this.#options.forbiddenKeywords.filter((keyword) => text.includes(this.#comparable(keyword)));
  }
}

/** Scores what an output says: patterns, keywords, and how near it is to the expected text. */
export const ContentScorer = callableScorer(Content);
export type ContentScorer = Content;

function exactExplanation(answer: string, wanted: string | undefined): string {
  if (wanted === undefined) return 'The case has no expected text to compare with';
  return `Expected exactly ${excerpt(wanted)}, got ${excerpt(answer)}`;
}

function excerpt(text: string): string {
  return JSON.stringify(shorten(text, 120));
}
