import * as z from 'zod';
import { defineEvaluator } from '../../evaluator.ts';
import { excerptOf } from '../../excerpt.ts';
import { caseSensitive, comparable, judgeText, oneText, shownAnswer, verdict, wantedText } from './answer-text.ts';

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
  configSchema,
  when: () => 'eventually',
  prepare: (config) => (context) =>
    judgeText(context, (text) => {
      const wanted = wantedText(config.text, context);
      const compared = (one: string) => comparable(config.trim ? one.trim() : one, config.caseSensitive);
      return compared(text) === compared(wanted)
        ? verdict(true, `The answer is ${excerptOf(wanted)}`)
        : verdict(false, `The answer is not ${excerptOf(wanted)}; ${shownAnswer(text)}`);
    }),
});
