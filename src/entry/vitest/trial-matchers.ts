import { expect } from 'vitest';
import type { Outcome } from '../../domain/outcome.ts';
import type { EvaluatorDefinition } from '../../load/scenarios/code/scenario-definition.ts';
import { outcomeText } from './describe-scenario.ts';
import { AssayError } from './program.ts';
import { AssertionFailure } from './registration.ts';
import { ScenarioTrial, unjudgedText, whyUnobserved } from './scenario-trial.ts';

type ConfigOf<Type extends EvaluatorDefinition['type']> = NonNullable<
  Extract<EvaluatorDefinition, { readonly type: Type }>['config']
>;

declare module 'vitest' {
  interface Matchers<T> extends TrialMatchers {}
}

/**
 * Matchers for a trial of `runScenario` or `describeScenario`, or for a promise of one; all of them must be awaited. What
 * was not observed fails both the matcher and its `.not`.
 */
export interface TrialMatchers {
  toHaveOutcome(outcome: Outcome): Promise<void>;
  /** As the evaluator `tool-called`; with `.not`, as `tool-not-called`. */
  toHaveCalledTool(tool: string, config?: Omit<ConfigOf<'tool-called'>, 'tool'>): Promise<void>;
  /** As the evaluator `tool-order`; in this order, others between them, unless `order` says otherwise. */
  toHaveCalledToolsInOrder(tools: readonly string[], config?: Omit<ConfigOf<'tool-order'>, 'tools'>): Promise<void>;
  /** A figure of the trial is exactly so large, or within limits. */
  toHaveMetric(name: string, wanted: number | MetricLimits): Promise<void>;
  /** An assertion that needs neither a judge nor the work directory passes. */
  toPassEvaluator(evaluator: EvaluatorDefinition): Promise<void>;
}

/** Both limits are included. */
export interface MetricLimits {
  readonly min?: number;
  readonly max?: number;
}

interface MatcherThis {
  readonly isNot?: boolean;
}

interface Match {
  readonly pass: boolean;
  message(): string;
}

function matcher<Expected extends readonly unknown[]>(
  rule: (trial: ScenarioTrial, isNot: boolean, ...expected: Expected) => Match | Promise<Match>,
) {
  return async function match(this: MatcherThis, received: unknown, ...expected: Expected): Promise<Match> {
    const trial = await received;
    if (!(trial instanceof ScenarioTrial))
      throw new AssayError('USAGE', 'This matcher takes a trial of runScenario or describeScenario.');
    return rule(trial, this.isNot ?? false, ...expected);
  };
}

const unjudged: readonly Outcome[] = ['error', 'skipped'];

function hasOutcome({ outcome, record }: ScenarioTrial, _isNot: boolean, wanted: Outcome): Match {
  if (unjudged.includes(outcome) && !unjudged.includes(wanted)) throw new AssertionFailure(unjudgedText(record));
  const found = outcome === 'pass' ? 'it passed' : outcomeText(record);
  return {
    pass: outcome === wanted,
    message: () => `expected the outcome ${outcome === wanted ? 'not ' : ''}to be ${wanted}; ${found}`,
  };
}

/** A verdict of an evaluator; anything else than pass and fail is neither a match nor a mismatch. */
async function passes(trial: ScenarioTrial, evaluator: EvaluatorDefinition): Promise<Match> {
  const why = whyUnobserved(trial);
  if (why !== undefined) throw new AssertionFailure(why);
  const { state, reason, fault, kind } = await trial.evaluate(evaluator);
  if (kind === 'metric') throw new AssayError('USAGE', `\`${evaluator.type}\` is a metric and never fails.`);
  if (state !== 'pass' && state !== 'fail') throw new AssertionFailure(unjudgedText({ reason, fault: fault ?? null }));
  return { pass: state === 'pass', message: () => `${evaluator.type}: ${reason}` };
}

async function calledTool(
  trial: ScenarioTrial,
  isNot: boolean,
  tool: string,
  config: Omit<ConfigOf<'tool-called'>, 'tool'> = {},
): Promise<Match> {
  const { args, criteria, within } = config;
  const isCounted = config.times !== undefined || config.noOtherArgs !== undefined;
  if (!isNot || isCounted) return passes(trial, { type: 'tool-called', config: { ...config, tool } });
  const absent = await passes(trial, { type: 'tool-not-called', config: { tool, args, criteria, within } });
  return { ...absent, pass: !absent.pass };
}

function hasMetric(trial: ScenarioTrial, _isNot: boolean, name: string, wanted: number | MetricLimits): Match {
  const { metrics } = trial.record;
  const value = metrics[name];
  if (value === undefined || value === null) {
    const listed = Object.keys(metrics).join(', ');
    const reason = value === null ? `\`${name}\` was not observed` : `there is no metric \`${name}\`, only: ${listed}`;
    throw new AssertionFailure(unjudgedText({ reason, fault: null }));
  }
  const { min = -Infinity, max = Infinity } = typeof wanted === 'number' ? { min: wanted, max: wanted } : wanted;
  return {
    pass: value >= min && value <= max,
    message: () => `expected \`${name}\` to be ${JSON.stringify(wanted)}; it is ${value}`,
  };
}

/** Makes the matchers known to Vitest. */
export function registerTrialMatchers(): void {
  expect.extend({
    toHaveOutcome: matcher(hasOutcome),
    toHaveCalledTool: matcher(calledTool),
    toHaveCalledToolsInOrder: matcher(
      (trial, _isNot, tools: readonly string[], config: Omit<ConfigOf<'tool-order'>, 'tools'> = {}) =>
        passes(trial, { type: 'tool-order', config: { ...config, tools } }),
    ),
    toHaveMetric: matcher(hasMetric),
    toPassEvaluator: matcher((trial, _isNot, evaluator: EvaluatorDefinition) => passes(trial, evaluator)),
  });
}
