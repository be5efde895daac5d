import type { ComparedRecord, ComparedTrial } from '../../../report/compare/guidance.ts';
import { commandsOf, interactionOf } from '../../../score/interaction/interaction.ts';
import { recorded, traceOf } from '../score/fake-trace.ts';

const tool = { binary: 'tm' };

/** Test support: a trial with commands such as `create a` (exit code 0) or `create a!2` (exit code 2). */
export function comparedTrial(commands: readonly string[], changes: Partial<ComparedRecord> = {}): ComparedTrial {
  const events = commands.map((text) => {
    const [line = '', code] = text.split('!');
    return recorded(['tm', ...line.split(' ')], Number(code ?? 0));
  });
  const trace = traceOf(...events, {
    type: 'agent-ended',
    exitCode: 0,
    signal: null,
    timedOut: false,
    completed: true,
    reason: null,
  });
  const record: ComparedRecord = {
    trialId: 't1',
    scenario: 'create_and_link',
    caseId: 'task',
    variant: { agent: 'claude-code', model: 'sonnet', guidance: 'v1' },
    repeat: 1,
    outcome: 'pass',
    costUsd: 0.01,
    durationMs: 1_000,
    interaction: interactionOf(trace, tool),
    ...changes,
  };
  return { record, commands: commandsOf(trace, tool) };
}
