import { describe, expect, it } from 'vitest';
import { ended, recorded, shell, traceOf } from '../../../testing/fakes/score/fake-trace.ts';
import type { Answer, EvaluationContext } from '../evaluator.ts';
import { interaction } from './interaction.ts';

async function measured(config: unknown, trace: EvaluationContext['trace']): Promise<Answer> {
  const trial = { scenario: { target: { type: 'cli-tool', config } } } as EvaluationContext['trial'];
  const context = { trial, trace } as EvaluationContext;
  return interaction.prepare({})(context);
}

describe('the interaction metric', () => {
  it('measures success at the first try and gives every figure', async () => {
    const trace = traceOf(
      recorded(['tm', 'create', 'a'], 1),
      recorded(['tm', 'create', 'a'], 0),
      recorded(['tm', 'list'], 0),
      recorded(['tm', '--help'], 0),
      ...shell('1', '/bin/tm list --all', 0),
      ended(true),
    );
    const answer = await measured({ binary: 'tm', commandPattern: 'tm\\s+(\\S+)' }, trace);
    expect(answer).toMatchObject({
      state: 'measured',
      value: 0.5,
      reason:
        '4 commands, 1 failed, 1 help request, 50 % were new and succeeded, 1 bypassed the recorder (from the recorder)',
      metrics: {
        total_commands: 4,
        unique_commands: 3,
        error_count: 1,
        error_rate: 0.25,
        retry_count: 1,
        retry_rate: 0.25,
        retries_after_failure: 1,
        help_invocations: 1,
        first_try_success_rate: 0.5,
        iteration_ratio: 0.75,
        completed: 1,
      },
      findings: { interaction: { source: 'recorder', unrecorded: ['/bin/tm list --all'] } },
    });
  });

  it('reports that the trial left no record of commands', async () => {
    expect(await measured({ binary: 'tm' }, traceOf(ended(false)))).toMatchObject({
      state: 'no-data',
      reason: 'No command of the tool was observed: the trial left no record of commands',
      metrics: { completed: 0, total_commands: 0, error_rate: null, first_try_success_rate: null },
    });
  });

  it('is an error for a target without a binary, never a figure', async () => {
    expect(await measured({ module: './x.ts' }, [])).toMatchObject({
      state: 'error',
      error: { code: 'EVALUATOR_FAILED' },
    });
  });

  it('needs a work directory, and nothing from its config', async () => {
    expect(interaction.needs).toEqual(['workspace']);
    expect(interaction.configSchema.safeParse({}).success).toBe(true);
  });
});
