import { AssayError } from '../../../domain/errors.ts';
import { defineTarget } from '../target.ts';
import { type CliToolConfig, cliToolConfigSchema } from './task-config.ts';

/** A command-line tool that an agent uses to do a task in its own work directory. */
export const cliToolTarget = defineTarget({
  type: 'cli-tool',
  summary: 'a command-line tool that an agent uses to do a task',
  callKey: null,
  provides: ['workspace'],
  isAgentDriven: true,
  preparesItself: true,
  configSchema: cliToolConfigSchema,
  async open(written, context) {
    if (!context.agentWork) throw new AssayError('INTERNAL', 'No agents are configured to use a CLI tool.');
    // Most runs have no agent, and then none of this need be loaded.
    const { attemptTask } = await import('./attempt-task.ts');
    const { cliToolTask } = await import('./task-config.ts');
    const { UntouchedWork } = await import('./untouched-work.ts');
    const work = await context.agentWork();
    const untouched = new UntouchedWork();
    return {
      attempt: async (trial, trace, stop, { prepared }) => {
        assertSupported(written);
        const task = cliToolTask(written, trial.variant, context.env);
        const promptOfCase = trial.case.input;
        const config = typeof promptOfCase === 'string' ? { ...task, prompt: promptOfCase } : task;
        const attemptIdle: Parameters<typeof untouched.nothingProven>[2] = (idleTrial, idle, idleTrace) =>
          attemptTask({ trial: idleTrial, config, work: idle, context, trace: idleTrace, stop });
        const unproven = config.proves === false ? undefined : await untouched.nothingProven(trial, work, attemptIdle);
        const attempt = await attemptTask({ trial, config, work, context, trace, stop, prepared });
        const isProven = unproven?.unlessUsed && trace.events.some(({ type }) => type === 'command');
        return {
          ...attempt,
          workspace: { ...attempt.workspace, nothingProven: isProven ? undefined : unproven?.error },
        };
      },
      [Symbol.asyncDispose]: async () => undefined,
    };
  },
});

function assertSupported({ unsupported = [] }: CliToolConfig): void {
  if (unsupported.length === 0) return;
  throw new AssayError('TASK_UNSUPPORTED', `The task needs ${unsupported.join(' and ')}, which Assay does not have.`);
}
