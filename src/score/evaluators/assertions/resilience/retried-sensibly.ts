import * as z from 'zod';
import { type Answer, defineEvaluator, type EvaluationContext } from '../../evaluator.ts';
import { verdict } from '../text/answer-text.ts';
import { brokenCalls, type TriedCall, textOfCalls, withoutFaults } from './broken-calls.ts';

const configSchema = () =>
  z.strictObject({
    most: z.int().min(0).default(3).describe('most calls of a tool with the same arguments after one that was broken'),
    otherArguments: z
      .boolean()
      .default(false)
      .describe('the error says that the arguments are wrong, so a call with the same ones is not sensible'),
  });
type RetriedSensiblyConfig = z.output<ReturnType<typeof configSchema>>;

/** A call that was broken on purpose was not repeated again and again. */
export const retriedSensibly = defineEvaluator({
  type: 'retried-sensibly',
  kind: 'assertion',
  summary: 'calls that a fault broke were not repeated too often with the same arguments',
  example: { most: 2 },
  reads: { channels: {}, whereReported: { 'tool-calls': 'absence', commands: 'absence', requests: 'absence' } },
  configSchema,
  when: () => 'final',
  prepare: (config) => (context) => checkRetries(config, context),
});

function checkRetries(
  { most, otherArguments }: RetriedSensiblyConfig,
  { trial, trace }: EvaluationContext,
): Answer<'assertion'> {
  const skipped = withoutFaults(trial);
  if (skipped !== undefined) return { state: 'skipped', reason: skipped };
  const { calls, broken } = brokenCalls(trace);
  const limit = otherArguments ? 0 : most;
  const excessive = broken.filter((failed) => retriesOf(failed, calls) > limit);
  const highest = Math.max(...broken.map((failed) => retriesOf(failed, calls)));
  if (excessive.length === 0) return verdict(true, `At most ${highest} retries with the same arguments`);
  const wanted = otherArguments ? 'none was sensible' : `at most ${most} are allowed`;
  return verdict(false, `${highest} retries with the same arguments, ${wanted}: ${textOfCalls(excessive)}`);
}

function retriesOf(failed: TriedCall, calls: readonly TriedCall[]): number {
  return calls.filter(
    ({ eventIndex, purpose, input }) =>
      eventIndex > failed.eventIndex && purpose === failed.purpose && input === failed.input,
  ).length;
}
