import { AssayError } from '../../domain/errors.ts';
import { defineTarget } from '../target.ts';
import { cliToolConfigSchema } from './cli-tool-config.ts';

/** A command-line tool that an agent uses to do a task in a work directory of its own. */
export const cliToolTarget = defineTarget({
  type: 'cli-tool',
  summary: 'a command-line tool that an agent uses to do a task',
  callKey: null,
  provides: ['workspace'],
  isAgentDriven: true,
  configSchema: cliToolConfigSchema,
  async open(config, context) {
    if (!context.agentWork) throw new AssayError('INTERNAL', 'There are no agents here that could use a CLI tool.');
    // Most runs have no agent, and then none of this need be loaded.
    const { attemptTask } = await import('./attempt-task.ts');
    const { cliToolTask } = await import('./task-config.ts');
    const work = await context.agentWork();
    const task = cliToolTask(config, context.env);
    return {
      attempt: (trial, emit, stop) => attemptTask(trial, task, { work, context, emit, stop }),
      [Symbol.asyncDispose]: async () => undefined,
    };
  },
});
