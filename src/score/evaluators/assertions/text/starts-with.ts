import * as z from 'zod';
import { defineEvaluator } from '../../evaluator.ts';
import { caseSensitive, comparable, judgeOneText, oneText } from './answer-text.ts';

const configSchema = () =>
  z.strictObject({
    text: oneText,
    caseSensitive,
    trim: z.boolean().default(true).describe('ignore white space before the answer'),
  });

/** The answer begins with a text. */
export const startsWith = defineEvaluator({
  type: 'starts-with',
  label: 'Starts With',
  kind: 'assertion',
  summary: 'the answer starts with a text, ignoring white space before it',
  example: { text: 'Booked' },
  needs: [],
  reads: { channels: { answers: 'presence' }, scope: 'answer' },
  configSchema,
  when: () => 'eventually',
  prepare: (config) => (context) => {
    const compared = (text: string) => comparable(text, config.caseSensitive);
    const isHeld = (answer: string, wanted: string) =>
      compared(config.trim ? answer.trimStart() : answer).startsWith(compared(wanted));
    return judgeOneText(context, config.text, { isHeld, is: 'begins with', isNot: 'does not begin with' });
  },
});
