import * as z from 'zod';
import { AssayError } from '../../../domain/errors.ts';
import type { EvaluationContext } from '../evaluator.ts';

/** Whether case counts: it does unless the scenario says otherwise, as in every programming language. */
export const caseSensitive = z.boolean().default(true).describe('false: upper and lower case are the same');

/** One text to compare with. */
export const oneText = z.string().min(1).optional().describe('by default the `expected` of the case');

/** One text or several. */
export const oneOrMoreTexts = z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]);

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
  const [first, ...others] = [written ?? trial.case.expected].flat();
  if (first === undefined || ![first, ...others].every(isScalar)) {
    throw new AssayError('CRITERION_UNUSABLE', 'There is no text to compare the answer with.', {
      hint: 'Set `text` in the config of the evaluator, or a text as `expected` of the case.',
    });
  }
  return [String(first), ...others.map(String)];
}

function isScalar(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}

/** A text as it is compared; without case, letters that have several forms are all the same one. */
export function comparable(text: string, isCaseSensitive: boolean): string {
  return isCaseSensitive ? text : text.toLowerCase().toUpperCase();
}
