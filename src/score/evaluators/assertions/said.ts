import { assistantText } from '../../../domain/turn.ts';
import type { Answer, EvaluationContext } from '../evaluator.ts';
import { excerptOf } from '../gates/checks/excerpt.ts';

type Verdict = Answer<'assertion'>;

/** Decides about the text of the answer; without one there is nothing that could be right. */
export function judgeText({ turn }: Pick<EvaluationContext, 'turn'>, decide: (text: string) => Verdict): Verdict {
  const text = turn && assistantText(turn);
  if (text === undefined) return { state: 'fail', reason: 'There is no assistant message to look at', value: 0 };
  return decide(text);
}

/** The same for what must not be said: an empty answer says none of it, and that says nothing of the agent. */
export function judgeWords(context: Pick<EvaluationContext, 'turn'>, decide: (text: string) => Verdict): Verdict {
  return judgeText(context, (text) => (text.trim() === '' ? verdict(false, 'The answer is empty') : decide(text)));
}

/** A verdict on the answer: its score is 1 or 0. */
export function verdict(isHeld: boolean, reason: string): Verdict {
  return isHeld ? { state: 'pass', reason, value: 1 } : { state: 'fail', reason, value: 0 };
}

/** The answer for reasons, on one line and shortened. */
export function shownAnswer(text: string): string {
  return text.trim() === '' ? 'it is empty' : `it is ${excerptOf(text)}`;
}
