import { describe, expect, it } from 'vitest';
import type { Plugin } from '../compose/plugins/define.ts';
import type { Answer, EvaluationContext, Evaluator } from '../score/evaluators/evaluator.ts';
import { type AnswerSample, evaluationContext } from './evaluation-context.ts';
import { onlyPart, toJSONSchema } from './program.ts';

/** An answer of an agent, and what the evaluator must say of it. */
export interface EvaluatorSample extends AnswerSample {
  readonly name: string;
  readonly config?: unknown;
  /** `pass` or `fail` for an assertion, the number for a metric, `error` for what cannot be judged. */
  readonly gives: 'pass' | 'fail' | 'error' | number;
}

interface EvaluatorSamples {
  readonly samples: readonly EvaluatorSample[];
  /** Configs that must be refused when a scenario is loaded. */
  readonly badConfigs?: readonly unknown[];
}

/** Behaviour of every evaluator, built-in or plug-in. */
export function describeEvaluatorContract(
  definition: Plugin | Evaluator,
  { samples, badConfigs = [] }: EvaluatorSamples,
): void {
  const evaluator = onlyPart('evaluators', definition);
  const { type, kind, configSchema } = evaluator;
  const ask = async (sample: Omit<EvaluatorSample, 'name' | 'gives'>, context = evaluationContext(sample)) => {
    const config = configSchema.parse(sample.config ?? {});
    return answerTo(evaluator, config, context);
  };

  describe(`evaluator contract: ${type}`, () => {
    it('says what it is', () => {
      expect(evaluator.label.trim()).not.toBe('');
      expect(evaluator.summary.trim()).not.toBe('');
    });

    it('describes its config for documentation and forms', () => {
      expect(toJSONSchema(configSchema, { io: 'input', unrepresentable: 'any' })).toBeTypeOf('object');
    });

    it('has samples, unless it looks at what no sample has', () => {
      const isAskable = !evaluator.needs.includes('judge') && !evaluator.needs.includes('workspace');
      expect(samples.length > 0 || !isAskable).toBe(true);
    });

    for (const [index, config] of badConfigs.entries()) {
      it(`refuses bad config ${index + 1}`, () => {
        expect(configSchema.safeParse(config).success).toBe(false);
      });
    }

    for (const sample of samples) {
      it(`answers as expected: ${sample.name}`, async () => {
        const answer = await ask(sample);
        expect(answer.state === 'measured' ? answer.value : answer.state, inWords(answer)).toBe(sample.gives);
      });

      it(`gives a reason and a number that can be kept: ${sample.name}`, async () => {
        const answer = await ask(sample);
        if (answer.state === 'error') return;
        expect(kind === 'metric' ? ['measured'] : ['pass', 'fail', 'skipped']).toContain(answer.state);
        expect(answer.reason.trim()).not.toBe('');
        if ('value' in answer && answer.value !== undefined) expect(Number.isFinite(answer.value)).toBe(true);
      });

      it(`changes nothing of what it is shown: ${sample.name}`, async () => {
        const context = evaluationContext(sample);
        const before = structuredClone(context.trace);
        await ask(sample, context);
        expect(context.trace).toEqual(before);
      });

      it.skipIf(sample.gives === 'error')(`says something where there is no answer: ${sample.name}`, async () => {
        const answer = await ask({ config: sample.config, answer: undefined });
        expect(answer.state, inWords(answer)).not.toBe('error');
      });
    }
  });
}

/** An evaluator that throws gives an error, as it does in a run. */
async function answerTo(evaluator: Evaluator, config: unknown, context: EvaluationContext): Promise<Answer> {
  try {
    return await evaluator.prepare(config)(context);
  } catch (error) {
    return { state: 'error', error: error as Extract<Answer, { state: 'error' }>['error'] };
  }
}

function inWords(answer: Answer): string {
  return answer.state === 'error' ? answer.error.message : answer.reason;
}
