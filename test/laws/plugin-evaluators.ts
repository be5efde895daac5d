import { adaptEvaluator } from '../../src/compose/plugins/adapt-evaluator.ts';
import type { Evaluator } from '../../src/score/evaluators/evaluator.ts';
import type { Row } from './evaluator-rows.ts';
import { answered } from './events.ts';

/** Evaluators of plug-ins in their simple form, which need not declare what they read: they get everything. */
export const pluginEvaluators: readonly Evaluator[] = [
  adaptEvaluator({
    type: 'plugin-assertion',
    label: 'Booked',
    kind: 'assertion',
    evaluate: ({ messages }) => ({ success: JSON.stringify(messages).includes('Booked'), reason: 'looked' }),
  }),
  adaptEvaluator({
    type: 'plugin-metric',
    label: 'Length',
    kind: 'metric',
    evaluate: ({ messages }) => ({ value: messages.length, reason: 'counted' }),
  }),
];

const row: Row = {
  seen: { trace: answered('Booked for 19:00.') },
  unseen: { trace: answered('Something else.') },
};

export const pluginRows: Readonly<Record<string, Row>> = { 'plugin-assertion': row, 'plugin-metric': row };
