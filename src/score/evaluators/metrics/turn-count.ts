import * as z from 'zod';
import { counted } from '../../../shared/format.ts';
import { defineEvaluator } from '../evaluator.ts';

/** How many answers the conversation took. */
export const turnCount = defineEvaluator({
  type: 'turn-count',
  label: 'Turn Count',
  kind: 'metric',
  summary: 'answers in the conversation',
  needs: [],
  reads: { channels: { answers: 'total' } },
  configSchema: () => z.strictObject({}),
  aggregate: 'last',
  prepare:
    () =>
    ({ turn }) => {
      if (!turn) return { state: 'no-data', reason: 'No answer to count' };
      return { state: 'measured', value: turn.number, reason: counted(turn.number, 'turn') };
    },
});
