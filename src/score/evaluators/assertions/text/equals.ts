import * as z from 'zod';
import { defineEvaluator } from '../../evaluator.ts';
import { caseSensitive, comparable, judgeOneText, oneText } from './answer-text.ts';

const configSchema = () =>
  z.strictObject({
    text: oneText,
    caseSensitive,
    trim: z.boolean().default(true).describe('ignore white space around the answer and around the text'),
  });

/** The answer is a text and nothing else. */
export const equals = defineEvaluator({
  type: 'equals',
  label: 'Equals',
  kind: 'assertion',
  summary: 'the answer equals a text, ignoring white space around it',
  example: { text: 'yes', caseSensitive: false },
  needs: [],
  reads: { channels: { answers: 'exact' }, scope: 'answer' },
  configSchema,
  when: () => 'eventually',
  prepare: (config) => (context) => {
    const compared = (text: string) => comparable(config.trim ? text.trim() : text, config.caseSensitive);
    const isHeld = (answer: string, wanted: string) => compared(answer) === compared(wanted);
    return judgeOneText(context, config.text, { isHeld, is: 'is', isNot: 'is not' });
  },
});
