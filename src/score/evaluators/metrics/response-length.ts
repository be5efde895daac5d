import * as z from 'zod';
import { assistantText } from '../../../domain/turn.ts';
import { grouped } from '../../../shared/format.ts';
import { defineEvaluator } from '../evaluator.ts';

const configSchema = () =>
  z.strictObject({
    unit: z.enum(['characters', 'words']).default('characters').describe('what is counted'),
  });

/** How long the answers are. */
export const responseLength = defineEvaluator({
  type: 'response-length',
  label: 'Response Length',
  kind: 'metric',
  summary: 'characters or words of the answer; the mean over a conversation',
  example: { unit: 'words' },
  needs: [],
  reads: { channels: { answers: 'total' }, scope: 'answer' },
  configSchema,
  aggregate: 'mean',
  metricLabel: ({ unit }) => (unit === 'characters' ? undefined : unit),
  prepare:
    ({ unit }) =>
    ({ turn }) => {
      const text = turn && assistantText(turn);
      if (text === undefined) return { state: 'no-data', reason: 'No assistant message to measure' };
      const value = unit === 'words' ? wordCount(text) : [...text].length;
      return { state: 'measured', value, reason: `${grouped(value)} ${unit}` };
    },
});

function wordCount(text: string): number {
  return text.match(/\S+/g)?.length ?? 0;
}
