import * as z from 'zod';
import { AssayError } from '../../../../domain/errors.ts';
import type { PartSpec } from '../../../../domain/scenario.ts';
import { lastAnswer } from '../../../../domain/trace.ts';
import { assistantText } from '../../../../domain/turn.ts';
import { composed } from '../../../../shared/composed-text.ts';
import { lazySchema } from '../../../../shared/lazy-schema.ts';
import type { Answer, EvaluationContext } from '../../evaluator.ts';
import { excerptOf } from '../../excerpt.ts';

type Verdict = Answer<'assertion'>;

type Answered = Pick<EvaluationContext, 'turn' | 'trace'>;

/** Decides about the text of the answer; without one there is nothing that could be right. */
export function judgeText({ turn, trace }: Answered, decide: (text: string) => Verdict): Verdict {
  const text = turn && assistantText(turn);
  if (text !== undefined) return decide(text);
  const { error } = lastAnswer(trace) ?? {};
  return error
    ? verdict(false, 'The tool failed, so there is no answer')
    : withoutWords('There is no assistant message to look at');
}

/** Like `judgeText` for forbidden text: an empty answer avoids it trivially, so it fails. */
export function judgeWords(context: Answered, decide: (text: string) => Verdict): Verdict {
  return judgeText(context, (text) => (text.trim() === '' ? withoutWords('The answer is empty') : decide(text)));
}

/** A failure for want of words, which may have been lost. */
function withoutWords(reason: string): Verdict {
  return { state: 'fail', reason, value: 0, restsOn: 'silence' };
}

/** Compares the answer with the one text that a scenario asks for; `is` and `isNot` are the verbs of the reason. */
export function judgeOneText(
  context: Answered & Pick<EvaluationContext, 'trial'>,
  text: string | undefined,
  {
    isHeld,
    is,
    isNot,
  }: { isHeld(answer: string, wanted: string): boolean; readonly is: string; readonly isNot: string },
): Verdict {
  return judgeText(context, (answer) => {
    const wanted = wantedText(text, context);
    return isHeld(answer, wanted)
      ? verdict(true, `The answer ${is} ${excerptOf(wanted)}`)
      : verdict(false, `The answer ${isNot} ${excerptOf(wanted)}; ${shownAnswer(answer)}`);
  });
}

/** A verdict on the answer: its score is 1 or 0. */
export function verdict(isHeld: boolean, reason: string): Verdict {
  return isHeld ? { state: 'pass', reason, value: 1 } : { state: 'fail', reason, value: 0 };
}

/** The answer for reasons, on one line and shortened. */
export function shownAnswer(text: string): string {
  return text.trim() === '' ? 'it is empty' : `it is ${excerptOf(text)}`;
}

/** Whether case counts: it does unless the scenario says otherwise, as in every programming language. */
export const caseSensitive = lazySchema(() =>
  z.boolean().default(true).describe('false: upper and lower case are the same'),
);

/** One text to compare with. */
export const oneText = lazySchema(() => z.string().min(1).optional().describe('by default the `expected` of the case'));

/** One text or several. */
export const oneOrMoreTexts = lazySchema(() => z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]));

/** The text that a scenario asks for: in the config, or as what the case expects. */
export function wantedText(written: string | undefined, { trial }: Pick<EvaluationContext, 'trial'>): string {
  const [text] = wantedTexts(written, { trial });
  return text;
}

/** The texts that a scenario asks for: in the config, or as what the case expects. */
export function wantedTexts(
  written: string | readonly string[] | undefined,
  { trial }: Pick<EvaluationContext, 'trial'>,
): readonly [string, ...string[]] {
  // The usual one by itself: this runs for every answer.
  if (typeof written === 'string') return [written];
  const [first, ...others] = [written ?? trial.case.expected].flat();
  if (first === undefined || ![first, ...others].every(isScalar)) {
    throw new AssayError('CRITERION_UNUSABLE', 'There is no text to compare the answer with.', {
      hint: 'Set `text` in the config of the evaluator, or a text as `expected` of the case.',
    });
  }
  if (written === undefined && [first, ...others].some(isBlank)) {
    throw new AssayError('CRITERION_UNUSABLE', 'The text to compare the answer with is empty.', {
      hint: 'Write a text into `expected` of the case, or set `text` of the evaluator: every answer contains an empty text.',
    });
  }
  return [String(first), ...others.map(String)];
}

const comparingTypes = new Set(['contains', 'equals', 'starts-with', 'similarity', 'embedding-similarity']);

/** Whether an assertion compares the answer with the `expected` of the case, because its config names no text. */
export function comparesWithExpected({ type, config }: PartSpec): boolean {
  return comparingTypes.has(type) && (config as { readonly text?: unknown } | undefined)?.text === undefined;
}

/** Whether a text is empty, which any answer would fit. */
export function isBlank(value: unknown): boolean {
  return typeof value === 'string' && value.trim() === '';
}

function isScalar(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}

/** A text as it is compared; without case, letters that have several forms are all the same one. */
export function comparable(text: string, isCaseSensitive: boolean): string {
  return composed(isCaseSensitive ? text : text.toLowerCase().toUpperCase());
}
