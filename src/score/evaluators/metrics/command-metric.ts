import * as z from 'zod';
import { defineEvaluator, everythingReported } from '../evaluator.ts';
import { gradeByCommand, graderConfig, graderFailed } from '../grader-command.ts';

/** Numbers that a program in any language computes from the trial. */
export const commandMetric = defineEvaluator({
  type: 'command-metric',
  kind: 'metric',
  summary: 'numbers that a program computes: JSON on stdin, {score?, metrics?, message?} on stdout',
  example: { name: 'readability', command: 'python3 readability.py' },
  reads: everythingReported,
  looksAtWork: true,
  configSchema: () => z.strictObject(graderConfig()),
  metricName: ({ name }) => name ?? 'command-metric',
  prepare: (config) => async (context) => {
    const { score, metrics, message, script } = await gradeByCommand(config, 'command-metric', context);
    const count = Object.keys(metrics).length;
    if (score === undefined && count === 0) throw graderFailed('The command printed neither `score` nor `metrics`.');
    const details = { reason: message ?? `${count} numbers`, metrics, findings: { scripts: [script] } };
    return score === undefined ? { state: 'no-data', ...details } : { state: 'measured', value: score, ...details };
  },
});
