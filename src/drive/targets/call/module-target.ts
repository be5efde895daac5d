import { AssayError } from '../../../domain/errors.ts';
import type { Fault } from '../../../domain/tool-control/faults.ts';
import { type ToolError, toolErrorSchema } from '../../../domain/tool-error.ts';
import { lazySchema } from '../../../shared/lazy-schema.ts';
import { failureText } from '../../tool-control/faults/text-faults.ts';
import { defineTarget, type Target, type TargetContext } from '../target.ts';
import { openCalled } from './open-called.ts';
import { moduleIssues, openUserModule, type UserModule, userModuleSchema } from './user-module.ts';

/** A function of a JavaScript or TypeScript module, called in its own thread. */
export const moduleTarget = defineTarget({
  type: 'module',
  summary: 'a function of a JavaScript or TypeScript module',
  callKey: 'module',
  provides: ['call-answer'],
  configSchema: lazySchema(userModuleSchema),
  check: ({ module }, { directory }) => moduleIssues(module, directory),
  open: (config, context) => openCalled({ name: config.export, failure }, context, () => openModule(config, context)),
});

function failure(fault: Fault): ToolError {
  return { message: failureText(fault) };
}

async function openModule(config: UserModule, context: TargetContext): Promise<Target> {
  const client = await openUserModule(config, context);
  return {
    async attempt(trial, trace, stop) {
      const { emit } = trace;
      const callId = trial.trialId;
      emit({ type: 'tool-call', callId, tool: config.export, input: trial.case.input });
      const { durationMs, printed, ...answer } = await client.call(trial.case.input, stop, trace);
      for (const text of printed) emit({ type: 'output', ...text });
      if (answer.unusable) {
        throw new AssayError(answer.unusable.code, `${config.export}() returned ${answer.unusable.reason}`);
      }
      if (answer.thrown !== undefined) {
        const error = toolErrorSchema.parse(JSON.parse(answer.thrown));
        emit({ type: 'tool-result', callId, durationMs, error });
      } else {
        const result: unknown = answer.result === undefined ? undefined : JSON.parse(answer.result);
        emit({ type: 'tool-result', callId, durationMs, result });
      }
    },
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };
}
