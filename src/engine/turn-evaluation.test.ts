import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { AssayError } from '../domain/errors.ts';
import { type Aggregate, type Answer, defineEvaluator, type EvaluationContext } from '../score/evaluators/evaluator.ts';
import { emptyEvaluation } from './findings.ts';
import { prepareEvaluator, withUniqueNames } from './prepared-evaluator.ts';
import { TurnEvaluation } from './turn-evaluation.ts';

const measured = (value: number): Answer<'metric'> => ({ state: 'measured', value, reason: `${value} tokens` });
const noData: Answer<'metric'> = { state: 'no-data', reason: 'nothing was reported' };
const thrown: Answer<'metric'> = { state: 'error', error: new AssayError('EVALUATOR_FAILED', 'it broke') };

/** A metric that gives these answers, one after the other. */
function metric(answers: readonly Answer<'metric'>[], aggregate: Aggregate) {
  let next = 0;
  return defineEvaluator({
    type: 'tokens',
    label: 'Tokens',
    kind: 'metric',
    summary: '',
    needs: [],
    reads: { channels: {} },
    configSchema: z.object({ track: z.string().optional() }),
    metricLabel: ({ track }) => track,
    aggregate,
    prepare: () => () => answers[next++] ?? noData,
  });
}

async function concluded(answers: readonly Answer<'metric'>[], aggregate: Aggregate = 'sum') {
  const evaluators = new Map([['tokens', metric(answers, aggregate)]]);
  const part = prepareEvaluator({ type: 'tokens', config: {} }, evaluators);
  const evaluation = new TurnEvaluation([part], () => ({ trace: [] }) as unknown as EvaluationContext);
  for (let turn = 1; turn <= answers.length; turn++) await evaluation.afterTurn(turn === answers.length);
  const findings = emptyEvaluation();
  await evaluation.conclude(findings);
  await evaluation.judge(findings, { failures: [] });
  return findings;
}

describe('figures over several turns', () => {
  it('are one figure where every turn has one', async () => {
    const { metrics, evaluatorResults } = await concluded([measured(3), measured(4)]);
    expect(metrics).toEqual({ tokens: 7 });
    expect(evaluatorResults).toMatchObject([{ state: 'measured', value: 7, reason: 'sum over 2 turns' }]);
  });

  it.each(['sum', 'mean', 'max'] as const)(
    'are absent where a turn has none, never the %s of the rest',
    async (how) => {
      const { metrics, evaluatorResults } = await concluded([measured(3), noData, measured(4)], how);
      expect(metrics).toEqual({ tokens: null });
      const reason = 'nothing was reported: no data in turn 2';
      expect(evaluatorResults).toMatchObject([{ state: 'no-data', success: true, value: 0, reason }]);
    },
  );

  it('keep the reason where no turn has one', async () => {
    const { metrics, evaluatorResults } = await concluded([noData, noData]);
    expect(metrics).toEqual({ tokens: null });
    expect(evaluatorResults).toMatchObject([{ state: 'no-data', reason: 'nothing was reported' }]);
  });

  it('are absent with the fault where the metric broke in one of them', async () => {
    const { metrics, evaluatorResults } = await concluded([measured(3), thrown, measured(4)]);
    expect(metrics).toEqual({ tokens: null });
    expect(evaluatorResults).toMatchObject([{ state: 'error', success: true, fault: { code: 'EVALUATOR_FAILED' } }]);
  });
});

describe('names of figures', () => {
  it('are the type where there is one of it, and never shared', () => {
    const evaluators = new Map([['tokens', metric([], 'sum')]]);
    const namesOf = (...tracks: readonly (string | undefined)[]): string[] => {
      const parts = tracks.map((track) => prepareEvaluator({ type: 'tokens', config: { track } }, evaluators));
      return withUniqueNames(parts).map(({ metricName }) => metricName);
    };
    expect(namesOf('output')).toEqual(['tokens']);
    expect(namesOf(undefined, 'output')).toEqual(['tokens', 'tokens:output']);
    expect(namesOf('input', 'output')).toEqual(['tokens:input', 'tokens:output']);
    expect(namesOf('output', 'output', undefined)).toEqual(['tokens:output', 'tokens:output:2', 'tokens']);
  });
});
