import * as z from 'zod';
import { defineEvaluator } from '../../evaluator.ts';
import { excerptOf } from '../../excerpt.ts';
import {
  caseSensitive,
  comparable,
  judgeWords,
  oneOrMoreTexts,
  shownAnswer,
  verdict,
  wantedTexts,
} from './answer-text.ts';

const configSchema = () =>
  z.strictObject({
    text: oneOrMoreTexts.describe('text or texts that must not occur'),
    caseSensitive,
  });

/** No answer contains a text. */
export const notContains = defineEvaluator({
  type: 'not-contains',
  label: 'Not Contains',
  kind: 'assertion',
  summary: 'no answer contains a text, or any of several',
  example: { text: 'as an AI language model' },
  needs: [],
  reads: { channels: { answers: 'absence' }, scope: 'answer' },
  configSchema,
  when: () => 'every-turn',
  prepare: (config) => (context) =>
    judgeWords(context, (text) => {
      const unwanted = wantedTexts(config.text, context);
      const answer = comparable(text, config.caseSensitive);
      const found = unwanted.filter((part) => answer.includes(comparable(part, config.caseSensitive)));
      return found.length === 0
        ? verdict(true, `The answer does not contain ${unwanted.map(excerptOf).join(', ')}`)
        : verdict(false, `The answer contains ${found.map(excerptOf).join(', ')}; ${shownAnswer(text)}`);
    }),
});
