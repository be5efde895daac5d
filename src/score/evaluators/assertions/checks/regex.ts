import { AssayError } from '../../../../domain/errors.ts';
import { compileTextPattern, type TextPattern, UnusablePattern } from '../../../../shared/patterns.ts';
import type { Evaluate } from '../../evaluator.ts';
import { shortened } from '../../gates/checks/excerpt.ts';
import type { RegexConfig } from '../regex.ts';
import { judgeText, judgeWords, shownAnswer, verdict } from '../said.ts';

/** How `regex` looks at an answer. */
export function checkRegex({ pattern, flags, mustMatch }: RegexConfig): Evaluate<'assertion'> {
  const meaningful = [...new Set(flags)].filter((flag) => 'ims'.includes(flag)).join('');
  const compiled = compileTextPattern(meaningful === '' ? pattern : `(?${meaningful})${pattern}`);
  const written = `/${shortened(pattern)}/${flags}`;
  const judge = mustMatch ? judgeText : judgeWords;
  return (context) =>
    judge(context, (text) => {
      const isMatch = occursIn(text, compiled, written);
      const reason = `The answer ${isMatch ? 'matches' : 'does not match'} ${written}`;
      return verdict(isMatch === mustMatch, isMatch === mustMatch ? reason : `${reason}; ${shownAnswer(text)}`);
    });
}

function occursIn(text: string, pattern: TextPattern, written: string): boolean {
  try {
    return pattern.occursIn(text);
  } catch (error) {
    if (!(error instanceof UnusablePattern)) throw error;
    throw new AssayError('CRITERION_UNUSABLE', `${written} cannot be used: ${error.message}`);
  }
}
