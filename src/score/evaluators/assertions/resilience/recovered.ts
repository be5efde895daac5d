import * as z from 'zod';
import { counted } from '../../../../shared/format.ts';
import { type Answer, defineEvaluator, type EvaluationContext } from '../../evaluator.ts';
import { verdict } from '../text/answer-text.ts';
import { nameRules, toolName } from '../tool-use/tool-use-config.ts';
import { brokenCalls, textOfCalls, withoutFaults } from './broken-calls.ts';

const configSchema = () =>
  z.strictObject({
    instead: z
      .array(toolName)
      .default([])
      .describe(`tools that serve as well as the broken one; ${nameRules}; or "program" and "program command"`),
  });
type RecoveredConfig = z.output<ReturnType<typeof configSchema>>;

/** After every call that was broken on purpose, one of the same tool worked. */
export const recovered = defineEvaluator({
  type: 'recovered',
  kind: 'assertion',
  summary: 'after each call that a fault broke, a later call of the tool, or of another that serves as well, worked',
  example: { instead: ['search_archive'] },
  reads: {
    channels: {},
    whereReported: { 'tool-calls': 'presence', 'tool-results': 'presence', commands: 'presence', requests: 'presence' },
  },
  configSchema,
  when: () => 'final',
  prepare: (config) => (context) => checkRecovered(config, context),
});

function checkRecovered({ instead }: RecoveredConfig, { trial, trace }: EvaluationContext): Answer<'assertion'> {
  const skipped = withoutFaults(trial);
  if (skipped !== undefined) return { state: 'skipped', reason: skipped };
  const { calls, broken } = brokenCalls(trace);
  const lost = broken.filter(
    (failed) =>
      !calls.some(
        (later) =>
          later.eventIndex > failed.eventIndex &&
          later.hasWorked &&
          (later.purpose === failed.purpose || instead.some((name) => later.isNamed(name))),
      ),
  );
  const all = counted(broken.length, 'broken call');
  if (lost.length === 0) return verdict(true, `Recovered from ${all}`);
  const reason = `Did not recover from ${lost.length} of ${all}: ${textOfCalls(lost)}`;
  return { state: 'fail', reason, value: 1 - lost.length / broken.length };
}
