import { parseExactJson } from '../../../../shared/exact-json.ts';
import type { Answer } from '../../evaluator.ts';
import { shownAnswer, verdict } from '../text/answer-text.ts';

const maxDepth = 200;

/** Decides about the answer as JSON; one that is not JSON, or is nested too deeply, fails. */
export function judgeJson(text: string, decide: (value: unknown) => Answer<'assertion'>): Answer<'assertion'> {
  const problem = (why: string) => verdict(false, `The answer is not valid JSON: ${why}`);
  let value: unknown;
  try {
    value = parseExactJson(text);
  } catch (error) {
    if (error instanceof RangeError) return problem('it is nested too deeply');
    const fenced = /^\s*```/.test(text) ? ' (it is inside a Markdown code fence)' : '';
    return problem(`${shownAnswer(text)}${fenced}`);
  }
  return isDeeperThan(value, maxDepth) ? problem('it is nested too deeply') : decide(value);
}

/** Goes level by level, since what is too deep for recursion is what it looks for. */
function isDeeperThan(value: unknown, depth: number): boolean {
  let level: unknown[] = [value];
  for (let depthLeft = depth; level.length > 0; depthLeft--) {
    if (depthLeft < 0) return true;
    level = level.flatMap((part) => (typeof part === 'object' && part !== null ? Object.values(part) : []));
  }
  return false;
}
