import { constants } from 'node:os';
import * as z from 'zod';
import { AssayError, asAssayError, type ErrorCode } from '../../../domain/errors.ts';
import type { Fault } from '../../../domain/tool-control/faults.ts';
import type { ToolError } from '../../../domain/tool-error.ts';
import { isRecord, parseTracedJson, whyNotJson } from '../../../shared/json.ts';
import { lazySchema } from '../../../shared/lazy-schema.ts';
import { BoundedOutput } from '../../../shared/processes/bounded-output.ts';
import { type ProcessEnd, runProcess } from '../../../shared/processes/run-process.ts';
import { failureText } from '../../tool-control/faults/text-faults.ts';
import { defineTarget, type Target, type TargetContext } from '../target.ts';
import { expandSettings } from './expand-settings.ts';
import { openCalled } from './open-called.ts';

/** Longest answer that is read. */
const outputLimitBytes = 10_000_000;

const excerptHeadBytes = 16_384;
const excerptTailBytes = 16_384;

type Answer =
  | { readonly isJson: true; readonly result?: unknown; readonly error?: ToolError }
  | { readonly isJson: false; readonly fault: AssayError };

/** A program that exits non-zero has answered with an error; one that is killed or prints no JSON has not answered. */
function answerOf(end: ProcessEnd): Answer {
  const killedBy = end.signal ?? signalOfShellCode(end.exitCode);
  if (killedBy) return notAnswered('TARGET_CRASHED', `The command was ended by ${killedBy}.`);
  if (end.exitCode === 126 || end.exitCode === 127) {
    const message = lastLine(end.stderr.text) || `The command cannot be run (exit code ${end.exitCode}).`;
    return notAnswered('TARGET_NOT_LOADED', message);
  }
  if (end.stdout.truncatedBytes > 0) {
    return notAnswered('TARGET_OUTPUT_TOO_LARGE', `The command printed more than ${outputLimitBytes / 1e6} MB.`);
  }
  const value = parseTracedJson(end.stdout.text);
  if (!end.isText && end.exitCode === 0) {
    return notAnswered(
      'TARGET_OUTPUT_NOT_JSON',
      `The command printed text that is not UTF-8: ${startOf(end.stdout.text)}`,
    );
  }
  if (end.exitCode !== 0) return { isJson: true, error: errorOf(end, value) };
  if (value !== undefined) return { isJson: true, result: value };
  const isDeep = whyNotJson(end.stdout.text) === 'nested too deeply';
  const odd = isDeep ? 'printed JSON that is nested too deeply' : 'did not print JSON';
  return notAnswered('TARGET_OUTPUT_NOT_JSON', `The command ${odd}: ${startOf(end.stdout.text)}`);
}

/** A shell reports a program that was ended by a signal as 128 and the number of the signal. */
function signalOfShellCode(exitCode: number | null): string | undefined {
  return Object.entries(constants.signals).find(([, number]) => exitCode === 128 + number)?.[0];
}

function notAnswered(code: ErrorCode, message: string): Answer {
  return { isJson: false, fault: new AssayError(code, message) };
}

/** Enough of an output to see what it is; the whole of it would fill the store. */
function excerptOf(printed: ProcessEnd['stdout']): ProcessEnd['stdout'] {
  const excerpt = new BoundedOutput(excerptHeadBytes, excerptTailBytes);
  excerpt.append(Buffer.from(printed.text));
  return { text: excerpt.text(), truncatedBytes: excerpt.truncatedBytes + printed.truncatedBytes };
}

/** The program's own error when it printed one as JSON, else the last line it wrote to stderr. */
function errorOf(end: ProcessEnd, printed: unknown): ToolError {
  const { exitCode } = end;
  const own = isRecord(printed) && isRecord(printed.error) ? printed.error : printed;
  if (isRecord(own) && typeof own.message === 'string') return { ...own, message: own.message, exitCode };
  if (isRecord(printed) && typeof printed.error === 'string') return { message: printed.error, exitCode };
  const message = lastLine(end.stderr.text) || lastLine(end.stdout.text) || `exit code ${exitCode}`;
  return { message, exitCode };
}

function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1)?.trim() ?? '';
}

function startOf(text: string): string {
  const start = text.trim().slice(0, 120);
  return start === '' ? 'stdout is empty' : JSON.stringify(start);
}

const configSchema = lazySchema(() =>
  z.strictObject({
    command: z.string().min(1).describe('shell command; gets the input as JSON on stdin, answers with JSON on stdout'),
    env: z.record(z.string(), z.string()).default({}).describe('environment variables; ${VAR} is expanded'),
  }),
);

/** A program that reads JSON on stdin and writes JSON on stdout. */
export const commandTarget = defineTarget({
  type: 'command',
  summary: 'a program: JSON on stdin, JSON on stdout',
  callKey: 'command',
  provides: ['call-answer'],
  configSchema,
  open: (config, context) => openCalled({ name: config.command, failure }, context, () => openCommand(config, context)),
});

function failure(fault: Fault): ToolError {
  return { message: failureText(fault), exitCode: fault.exitCode ?? 1 };
}

async function openCommand(
  config: z.output<typeof configSchema>,
  { directory, env }: Pick<TargetContext, 'directory' | 'env'>,
): Promise<Target> {
  const environment = { ...env, ...expandSettings('environment variable', config.env, env) };
  return {
    async attempt(trial, { emit }, stop) {
      const callId = trial.trialId;
      emit({ type: 'tool-call', callId, tool: config.command, input: trial.case.input });
      const end = await runProcess(config.command, {
        cwd: directory,
        env: environment,
        tag: trial.trialId,
        stdin: JSON.stringify(trial.case.input) ?? 'null',
        stdoutLimitBytes: outputLimitBytes,
        signal: stop.signal,
        endsDaemons: true,
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
}
