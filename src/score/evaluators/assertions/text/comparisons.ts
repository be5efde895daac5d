import * as z from 'zod';
import { defineEvaluator } from '../../evaluator.ts';
import { excerptOf } from '../../excerpt.ts';
import {
  caseSensitive,
  comparable,
  judgeOneText,
  judgeText,
  judgeWords,
  oneOrMoreTexts,
  oneText,
  shownAnswer,
  verdict,
  wantedTexts,
} from './answer-text.ts';

export const contains = defineEvaluator({
  type: 'contains',
  kind: 'assertion',
  summary: 'the answer contains a text, or several',
  example: { text: ['Table for two', '19:00'], caseSensitive: false },
  reads: { channels: { answers: 'presence' }, scope: 'answer' },
  configSchema: () =>
    z.strictObject({
      text: oneOrMoreTexts.optional().describe('text or texts that must occur; by default the `expected` of the case'),
      match: z
        .enum(['all', 'any'])
        .default('all')
        .describe('of several texts, whether all must occur or one is enough'),
      caseSensitive,
    }),
  when: () => 'eventually',
  prepare: (config) => (context) =>
    judgeText(context, (text) => {
      const { found, missing } = occurrencesIn(text, wantedTexts(config.text, context), config);
      return missing.length === 0 || (config.match === 'any' && found.length > 0)
        ? verdict(true, `The answer contains ${inQuotes(found)}`)
        : verdict(false, `The answer does not contain ${inQuotes(missing)}; ${shownAnswer(text)}`);
    }),
});

export const notContains = defineEvaluator({
  type: 'not-contains',
  kind: 'assertion',
  summary: 'no answer contains a text, or any of several',
  example: { text: 'as an AI language model' },
  reads: { channels: { answers: 'absence' }, scope: 'answer' },
  configSchema: () =>
    z.strictObject({
      text: oneOrMoreTexts.describe('text or texts that must not occur'),
      caseSensitive,
    }),
  when: () => 'every-turn',
  prepare: (config) => (context) =>
    judgeWords(context, (text) => {
      const { found, missing } = occurrencesIn(text, wantedTexts(config.text, context), config);
      return found.length === 0
        ? verdict(true, `The answer does not contain ${inQuotes(missing)}`)
        : verdict(false, `The answer contains ${inQuotes(found)}; ${shownAnswer(text)}`);
    }),
});

interface CaseRule {
  readonly caseSensitive: boolean;
}

function occurrencesIn(text: string, parts: readonly string[], { caseSensitive: isCaseSensitive }: CaseRule) {
  const answer = comparable(text, isCaseSensitive);
  const found = parts.filter((part) => answer.includes(comparable(part, isCaseSensitive)));
  return { found, missing: parts.filter((part) => !found.includes(part)) };
}

function inQuotes(parts: readonly string[]): string {
  return parts.map(excerptOf).join(', ');
}

export const equals = defineEvaluator({
  type: 'equals',
  kind: 'assertion',
  summary: 'the answer equals a text, ignoring white space around it',
  example: { text: 'yes', caseSensitive: false },
  reads: { channels: { answers: 'exact' }, scope: 'answer' },
  configSchema: () =>
    z.strictObject({
      text: oneText,
      caseSensitive,
      trim: z.boolean().default(true).describe('ignore white space around the answer and around the text'),
    }),
  when: () => 'eventually',
  prepare: (config) => (context) => {
    const compared = (text: string) => comparable(config.trim ? text.trim() : text, config.caseSensitive);
    const isHeld = (answer: string, wanted: string) => compared(answer) === compared(wanted);
    return judgeOneText(context, config.text, { isHeld, is: 'is', isNot: 'is not' });
  },
});

export const startsWith = defineEvaluator({
  type: 'starts-with',
  kind: 'assertion',
  summary: 'the answer starts with a text, ignoring white space before it',
  example: { text: 'Booked' },
  reads: { channels: { answers: 'presence' }, scope: 'answer' },
  configSchema: () =>
    z.strictObject({
      text: oneText,
      caseSensitive,
      trim: z.boolean().default(true).describe('ignore white space before the answer'),
    }),
  when: () => 'eventually',
  prepare: (config) => (context) => {
    const compared = (text: string) => comparable(text, config.caseSensitive);
    const isHeld = (answer: string, wanted: string) =>
      compared(config.trim ? answer.trimStart() : answer).startsWith(compared(wanted));
    return judgeOneText(context, config.text, { isHeld, is: 'begins with', isNot: 'does not begin with' });
  },
});
