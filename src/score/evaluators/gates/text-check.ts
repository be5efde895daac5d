import { composed } from '../../../shared/composed-text.ts';
import { compileTextPattern, problemOfPattern, UnusablePattern } from '../../../shared/patterns.ts';
import { excerptOf, shortened } from '../excerpt.ts';
import { failed, GateFailure, type GateVerdict, passed } from './gate.ts';

/** A text that a gate checks, or as much of it as was kept. */
export interface CheckedText {
  /** Name of the text in messages: `stdout of "ls"`. */
  readonly name: string;
  /** The whole text, or the head and tail that were kept. */
  readonly parts: readonly string[];
  /** Why the text is incomplete; undefined where it is whole. */
  readonly leftOut: string | undefined;
}

export function checkContains(text: CheckedText, substring: string): GateVerdict {
  const expected = excerptOf(substring);
  if (text.parts.some((part) => composed(part).includes(composed(substring))))
    return passed(`${text.name} contains ${expected}`);
  return failed(`${text.name} does not contain ${expected}${butLeftOut(text)}; ${contentOf(text)}`);
}

/** An incomplete text fails: `^` and `$` could match where it was cut. */
export function checkMatches(text: CheckedText, pattern: string): GateVerdict {
  const quotedPattern = excerptOf(pattern);
  if (text.leftOut)
    return failed(`${text.name} cannot be matched with ${quotedPattern}: ${text.leftOut}; ${contentOf(text)}`);
  try {
    if (compileTextPattern(composed(pattern)).occursIn(composed(text.parts.join(''))))
      return passed(`${text.name} matches ${quotedPattern}`);
  } catch (error) {
    if (!(error instanceof UnusablePattern)) throw error;
    return failed(`${text.name} cannot be matched with ${quotedPattern}: ${error.message}`);
  }
  return failed(`${text.name} does not match ${quotedPattern}; ${contentOf(text)}`);
}

function butLeftOut({ leftOut }: CheckedText): string {
  return leftOut === undefined ? '' : ` in the part that was checked: ${leftOut}`;
}

function contentOf({ parts }: CheckedText): string {
  const content = parts.join(' … ');
  return content.trim() === '' ? 'it is empty' : `it is ${excerptOf(content)}`;
}

/** Fails the gate for a pattern that cannot be used, before a command runs. */
export function assertUsablePattern(pattern: string): void {
  const problem = problemOfPattern(pattern);
  if (problem !== undefined) throw new GateFailure(`Invalid regex pattern '${shortened(pattern)}': ${problem}`);
}
