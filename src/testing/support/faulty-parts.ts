import * as z from 'zod';
import type { PartSpec, Scenario } from '../../domain/scenario.ts';
import type { UnstampedEvent } from '../../domain/trace.ts';
import { defineTarget, type Target } from '../../drive/targets/target.ts';
import { defineEvaluator } from '../../score/evaluators/evaluator.ts';

/** Fault of a part in place of its work. */
export type Misbehaviour = () => unknown;

/** Fits every config, because what a part does wrong is a function. */
const anyConfig = z.object({ misbehave: z.custom<Misbehaviour>().optional() });

const answer: UnstampedEvent = { type: 'tool-result', callId: 'call', durationMs: 1, result: 'answered' };

function steadyTarget(attempt?: Misbehaviour): Target {
  return {
    attempt: async (_trial, { emit }) => {
      if (attempt) await attempt();
      else emit({ ...answer });
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
}

const shared = { provides: ['call-answer' as const], configSchema: anyConfig };

/** Fails while it is opened. */
export const opensBadly = defineTarget({
  ...shared,
  type: 'opens-badly',
  summary: 'fails while it is opened',
  callKey: 'opensBadly',
  open: ({ misbehave }) => misbehave?.() as Promise<Target>,
});

/** Answers, or fails while it is tried. */
export const tool = defineTarget({
  ...shared,
  type: 'tool',
  summary: 'answers, or fails while it is tried',
  callKey: 'tool',
  open: async ({ misbehave }) => steadyTarget(misbehave),
});

const verdictSchema = z.object({ state: z.enum(['pass', 'fail']) });

/** Gives the verdict of its config. */
export const verdict = defineEvaluator({
  type: 'verdict',
  label: 'Verdict',
  kind: 'assertion',
  summary: 'gives the verdict of its config',
  needs: ['call-answer'],
  reads: { channels: {} },
  configSchema: verdictSchema,
  prepare:
    ({ state }) =>
    () => ({ state, reason: `it is a ${state}` }),
});

const about = {
  label: 'Shaky',
  summary: 'misbehaves',
  needs: [],
  reads: { channels: {} },
  configSchema: anyConfig,
} as const;

/** An assertion that fails to judge. */
export const shakyAssertion = defineEvaluator({
  ...about,
  type: 'shaky-assertion',
  kind: 'assertion',
  prepare:
    ({ misbehave }) =>
    () =>
      misbehave?.() as never,
});

/** An assertion that cannot be prepared. */
export const unpreparedAssertion = defineEvaluator({
  ...about,
  type: 'unprepared-assertion',
  kind: 'assertion',
  prepare: ({ misbehave }) => misbehave?.() as never,
});

/** A metric that fails to measure. */
export const shakyMetric = defineEvaluator({
  ...about,
  type: 'shaky-metric',
  kind: 'metric',
  prepare:
    ({ misbehave }) =>
    () =>
      misbehave?.() as never,
});

/** A scenario with one case, as if it had been read from a file. */
export function scenarioOf(
  name: string,
  target: PartSpec,
  evaluators: readonly PartSpec[],
  timeoutMs = 30_000,
): Scenario {
  return {
    name,
    description: '',
    file: `${name}.yaml`,
    directory: `/${name}`,
    tags: [],
    tier: 0,
    repeat: 1,
    timeoutMs,
    target,
    judge: { models: [], samples: undefined },
    variants: [{}],
    composite: undefined,
    caseCount: 1,
    contentHash: name,
    async *cases() {
      yield { caseId: 'input', input: {}, expected: undefined, evaluators };
    },
  };
}
