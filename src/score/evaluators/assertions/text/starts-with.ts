import * as z from 'zod';
import { defineEvaluator } from '../../evaluator.ts';
import { excerptOf } from '../../excerpt.ts';
import { caseSensitive, comparable, judgeText, oneText, shownAnswer, verdict, wantedText } from './answer-text.ts';

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
  configSchema,
  when: () => 'eventually',
  prepare: (config) => (context) =>
    judgeText(context, (text) => {
      const wanted = wantedText(config.text, context);
      const answer = comparable(config.trim ? text.trimStart() : text, config.caseSensitive);
      return answer.startsWith(comparable(wanted, config.caseSensitive))
        ? verdict(true, `The answer begins with ${excerptOf(wanted)}`)
        : verdict(false, `The answer does not begin with ${excerptOf(wanted)}; ${shownAnswer(text)}`);
    }),
});
