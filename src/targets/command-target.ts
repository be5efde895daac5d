import * as z from 'zod';
import { AssayError } from '../domain/errors.ts';
import type { ToolError } from '../domain/trace.ts';
import { isRecord } from '../shared/json.ts';
import { type ProcessEnd, runProcess } from '../shared/run-process.ts';
import { expandVariables } from '../shared/variables.ts';
import { defineTarget } from './target.ts';

const outputLimitBytes = 10_000_000;

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
    const environment = { ...env, ...expandVariables(config.env, env) };
    return {
      async attempt(trial, emit, signal) {
        const callId = trial.trialId;
        emit({ type: 'tool-call', callId, tool: config.command, input: trial.case.input });
        const end = await runProcess(config.command, {
          cwd: directory,
          env: environment,
          stdin: JSON.stringify(trial.case.input) ?? 'null',
          stdoutLimitBytes: outputLimitBytes,
          signal,
        });
        if (end.stderr.text) emit({ type: 'output', channel: 'stderr', ...end.stderr });
        if (signal.aborted) return;
        const answer = answerOf(end);
        if (!answer.isJson) {
          emit({ type: 'output', channel: 'stdout', ...end.stdout });
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

type Answer =
  | { readonly isJson: true; readonly result?: unknown; readonly error?: ToolError }
  | { readonly isJson: false; readonly fault: AssayError };

/** A program that exits non-zero has answered with an error; one that is killed or prints no JSON has not answered. */
function answerOf(end: ProcessEnd): Answer {
  if (end.signal) return notAnswered('TARGET_CRASHED', `The command was ended by ${end.signal}.`);
  if (end.exitCode === 126 || end.exitCode === 127) {
    return notAnswered(
      'TARGET_NOT_LOADED',
      lastLine(end.stderr.text) || `The command cannot be run (exit code ${end.exitCode}).`,
    );
  }
  if (end.stdout.truncatedBytes > 0) {
    return notAnswered('TARGET_OUTPUT_TOO_LARGE', `The command printed more than ${outputLimitBytes / 1e6} MB.`);
  }
  const value = parseJson(end.stdout.text);
  if (end.exitCode !== 0) return { isJson: true, error: errorOf(end, value?.json) };
  if (!value) return notAnswered('TARGET_OUTPUT_NOT_JSON', `The command printed no JSON: ${startOf(end.stdout.text)}`);
  return { isJson: true, result: value.json };
}

function notAnswered(
  code: 'TARGET_CRASHED' | 'TARGET_NOT_LOADED' | 'TARGET_OUTPUT_TOO_LARGE' | 'TARGET_OUTPUT_NOT_JSON',
  message: string,
): Answer {
  return { isJson: false, fault: new AssayError(code, message) };
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

function parseJson(text: string): { readonly json: unknown } | undefined {
  try {
    return { json: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1)?.trim() ?? '';
}

function startOf(text: string): string {
  const start = text.trim().slice(0, 120);
  return start === '' ? 'stdout is empty' : JSON.stringify(start);
}
