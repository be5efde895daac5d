import * as z from 'zod';
import { asAssayError } from '../../../domain/errors.ts';
import { runProcess } from '../../../shared/processes/run-process.ts';
import { defineTarget } from '../target.ts';
import { answerOf, excerptOf, outputLimitBytes } from './command-answer.ts';
import { expandSettings } from './expand-settings.ts';

const configSchema = z.strictObject({
  command: z.string().min(1).describe('shell command; gets the input as JSON on stdin, answers with JSON on stdout'),
  env: z.record(z.string(), z.string()).default({}).describe('environment variables; ${VAR} is expanded'),
});

/** A program that reads JSON on stdin and writes JSON on stdout. */
export const commandTarget = defineTarget({
  type: 'command',
  summary: 'a program: JSON on stdin, JSON on stdout',
  callKey: 'command',
  provides: ['call-answer'],
  configSchema,
  async open(config, { directory, env }) {
    const environment = { ...env, ...expandSettings('environment variable', config.env, env) };
    return {
      async attempt(trial, emit, stop) {
        const callId = trial.trialId;
        emit({ type: 'tool-call', callId, tool: config.command, input: trial.case.input });
        const end = await runProcess(config.command, {
          cwd: directory,
          env: environment,
          tag: trial.trialId,
          stdin: JSON.stringify(trial.case.input) ?? 'null',
          stdoutLimitBytes: outputLimitBytes,
          signal: stop.signal,
        }).catch((error: unknown) => {
          throw asAssayError(error, 'TARGET_NOT_LOADED');
        });
        if (end.stderr.text) emit({ type: 'output', channel: 'stderr', ...end.stderr });
        if (stop.isStopped) return;
        const answer = answerOf(end);
        if (!answer.isJson) {
          if (end.stdout.text) emit({ type: 'output', channel: 'stdout', ...excerptOf(end.stdout) });
          throw answer.fault;
        }
        const { durationMs } = end;
        if (answer.error) emit({ type: 'tool-result', callId, durationMs, error: answer.error });
        else emit({ type: 'tool-result', callId, durationMs, result: answer.result });
      },
      [Symbol.asyncDispose]: async () => undefined,
    };
  },
});
