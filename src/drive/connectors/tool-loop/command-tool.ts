import { randomUUID } from 'node:crypto';
import { asAssayError } from '../../../domain/errors.ts';
import { jsonOrText } from '../../../shared/json.ts';
import { type ProcessEnd, runProcess } from '../../../shared/processes/run-process.ts';
import { expandSettings } from '../../targets/call/expand-settings.ts';
import type { TargetContext } from '../../targets/target.ts';
import { type OpenTools, offeredAs, type ToolAnswer } from './runnable-tool.ts';
import type { ToolConfig } from './tool-loop-config.ts';

/** Longest output that is given to a model. */
const outputLimitBytes = 1_000_000;

/** A program as a tool: the input as JSON on stdin, the answer on stdout. */
export async function openCommandTool(
  command: string,
  config: ToolConfig,
  { directory, env }: TargetContext,
): Promise<OpenTools> {
  const environment = { ...env, ...expandSettings('environment variable', config.env ?? {}, env) };
  const run = async (input: unknown, signal: AbortSignal): Promise<ToolAnswer> => {
    const end = await runProcess(command, {
      cwd: directory,
      env: environment,
      tag: randomUUID(),
      stdin: JSON.stringify(input) ?? 'null',
      stdoutLimitBytes: outputLimitBytes,
      signal,
    }).catch((error: unknown) => {
      throw asAssayError(error, 'TARGET_NOT_LOADED');
    });
    signal.throwIfAborted();
    return answerOf(end);
  };
  return { tools: [{ ...offeredAs(config), run }], [Symbol.asyncDispose]: async () => undefined };
}

function answerOf({ exitCode, signal, stdout, stderr }: ProcessEnd): ToolAnswer {
  if (signal) return { error: { message: `The command was ended by ${signal}.` } };
  if (exitCode !== 0)
    return { error: { message: lastLine(stderr.text) || lastLine(stdout.text) || `exit code ${exitCode}`, exitCode } };
  if (stdout.truncatedBytes > 0) {
    return { error: { message: `The command printed more than ${outputLimitBytes / 1e6} MB.` } };
  }
  return { result: jsonOrText(stdout.text.trimEnd()) };
}

function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1)?.trim() ?? '';
}
