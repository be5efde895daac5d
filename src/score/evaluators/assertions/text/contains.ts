import * as z from 'zod';
import { defineEvaluator } from '../../evaluator.ts';
import { excerptOf } from '../../excerpt.ts';
import {
  caseSensitive,
  comparable,
  judgeText,
  oneOrMoreTexts,
  shownAnswer,
  verdict,
  wantedTexts,
} from './answer-text.ts';

const configSchema = () =>
  z.strictObject({
    text: oneOrMoreTexts.optional().describe('text or texts that must occur; by default the `expected` of the case'),
    match: z.enum(['all', 'any']).default('all').describe('of several texts, whether all must occur or one is enough'),
    caseSensitive,
  });

/** The answer contains a text. */
export const contains = defineEvaluator({
  type: 'contains',
  label: 'Contains',
  kind: 'assertion',
  summary: 'the answer contains a text, or several',
  example: { text: ['Table for two', '19:00'], caseSensitive: false },
  needs: [],
  reads: { channels: { answers: 'presence' }, scope: 'answer' },
  configSchema,
  when: () => 'eventually',
  prepare: (config) => (context) =>
    judgeText(context, (text) => {
      const wanted = wantedTexts(config.text, context);
      const answer = comparable(text, config.caseSensitive);
      const missing = wanted.filter((part) => !answer.includes(comparable(part, config.caseSensitive)));
      const isEnough = config.match === 'all' ? missing.length === 0 : missing.length < wanted.length;
      const found = wanted.filter((part) => !missing.includes(part));
      const words = (parts: readonly string[]) => parts.map(excerptOf).join(', ');
      return isEnough
        ? verdict(true, `The answer contains ${words(found)}`)
        : verdict(false, `The answer does not contain ${words(missing)}; ${shownAnswer(text)}`);
    }),
});
