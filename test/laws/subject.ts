import type { Fault } from '../../src/domain/outcome.ts';
import type { PartSpec } from '../../src/domain/scenario.ts';
import type { Trace } from '../../src/domain/trace.ts';
import type { Trial } from '../../src/domain/trial.ts';
import { EvaluatorRunner } from '../../src/engine/evaluate.ts';
import { evaluateAgain } from '../../src/engine/rescore.ts';
import type { FinishedTrial } from '../../src/keep/store/store.ts';
import type { Evaluator } from '../../src/score/evaluators/evaluator.ts';
import { evaluators } from '../../src/score/evaluators/index.ts';
import { evaluationContext } from '../../src/testing/evaluation-context.ts';
import { watchers } from './watchers.ts';

const byType: ReadonlyMap<string, Evaluator> = new Map(
  [...evaluators, ...watchers].map((evaluator) => [evaluator.type, evaluator]),
);

/** An evaluator with its config as the loader would have checked it. */
export function part(type: string, config: object = {}): PartSpec {
  const evaluator = byType.get(type);
  if (!evaluator) throw new Error(`there is no evaluator ${type}`);
  // Results are found by their ids: a conversation has them in another order.
  return { type, config: evaluator.configSchema.parse(config), id: `${type} ${JSON.stringify(config)}` };
}

const { services, signal, judging, trial: sample } = evaluationContext({ answer: undefined });

/** It prepares each list of evaluators once, however many trials are judged by it. */
const runner = new EvaluatorRunner(byType, judging, services, signal);

/** A trial of which only its trace is known, judged by some evaluators as `assay score run` judges it. */
export async function judged(trace: Trace, parts: readonly PartSpec[], fault?: Fault): Promise<FinishedTrial> {
  const trial: Trial = {
    ...sample,
    case: { ...sample.case, evaluators: parts },
    scenario: { ...sample.scenario, target: { type: 'cli-tool', config: { binary: 'tasks', prompt: 'Do it' } } },
  };
  const finished = await evaluateAgain(
    {
      trial,
      trace,
      fault,
      startedAt: 0,
      durationMs: null,
      cachedFrom: undefined,
      artifacts: null,
      isConversation: trace.some(({ type }) => type === 'turn'),
      turns: [],
      openWorkspace: async () => ({
        workspace: undefined,
        workspaceFault: undefined,
        [Symbol.asyncDispose]: async () => undefined,
      }),
    },
    runner,
  );
  if (!finished) throw new Error('the evaluation was interrupted');
  return finished;
}
