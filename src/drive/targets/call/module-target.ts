import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import * as z from 'zod';
import { AssayError } from '../../../domain/errors.ts';
import type { Fault } from '../../../domain/tool-control/faults.ts';
import { type ToolError, toolErrorSchema } from '../../../domain/tool-error.ts';
import { untilAborted } from '../../../shared/async.ts';
import { lazySchema } from '../../../shared/lazy-schema.ts';
import { failureText } from '../../tool-control/faults/failure-text.ts';
import { defineTarget, type Target, type TargetContext } from '../target.ts';
import { ModuleWorkerClient } from './module-worker-client.ts';
import { openCalled } from './open-called.ts';

const configSchema = lazySchema(() =>
  z.strictObject({
    module: z.string().min(1).describe('JavaScript or TypeScript file, relative to the scenario file'),
    export: z.string().min(1).default('default').describe('name of the exported function'),
  }),
);

/** A function of a JavaScript or TypeScript module, called in its own thread. */
export const moduleTarget = defineTarget({
  type: 'module',
  summary: 'a function of a JavaScript or TypeScript module',
  callKey: 'module',
  provides: ['call-answer'],
  configSchema,
  check(config, { directory }) {
    const file = resolve(directory, config.module);
    return existsSync(file) ? [] : [{ path: ['module'], message: `there is no file ${config.module}` }];
  },
  open: (config, context) => openCalled({ name: config.export, failure }, context, () => openModule(config, context)),
});

function failure(fault: Fault): ToolError {
  return { message: failureText(fault) };
}

async function openModule(
  config: z.output<typeof configSchema>,
  { directory, signal, threads }: Pick<TargetContext, 'directory' | 'signal' | 'threads'>,
): Promise<Target> {
  const client = new ModuleWorkerClient(threads, resolve(directory, config.module), config.export);
  await untilAborted(client.load(), signal).catch(async (error: unknown) => {
    await client[Symbol.asyncDispose]();
    throw error;
  });
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
