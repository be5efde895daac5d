import * as z from 'zod';
import { AssayError, asAssayError } from '../../domain/errors.ts';
import { messageText } from '../../domain/message.ts';
import { type ProcessEnd, runProcess } from '../../shared/processes/run-process.ts';
import { shellQuoted } from '../../shared/shell-words.ts';
import { expandSettings } from '../targets/call/expand-settings.ts';
import type { TargetContext } from '../targets/target.ts';
import { type Connector, defineConnector } from './connector.ts';
import { excerptOf, traceText } from './wire/answer.ts';

const configSchema = () =>
  z.strictObject({
    command: z
      .string()
      .refine((command) => command.trim() !== '', 'the command is empty')
      .describe(
        'shell command that runs in the folder of the file that names it: gets the message as its last argument and the conversation as JSON on stdin, prints the answer',
      ),
    env: z.record(z.string(), z.string()).default({}).describe('environment variables; ${VAR} is expanded'),
  });

type CommandConnectorConfig = z.output<ReturnType<typeof configSchema>>;

/** Longest answer that is read. */
const outputLimitBytes = 10_000_000;

export const commandConnector = defineConnector({
  type: 'command',
  label: 'Program',
  summary: 'a program that is started for each message and prints the answer',
  reports: ['latency'],
  configSchema,
  open: async (config, _settings, context) => connect(config, context),
});

function connect({ command, env: written }: CommandConnectorConfig, { directory, env }: TargetContext): Connector {
  const environment = { ...env, ...expandSettings('environment variable', written, env) };
  return {
    async invoke({ messages, conversationId, turn, model, signal }) {
      const last = messages.at(-1);
      const text = last ? messageText(last) : '';
      const input = JSON.stringify({ messages, conversationId, turn, model });
      const end = await runProcess(`${command} ${shellQuoted(text)}`, {
        cwd: directory,
        env: environment,
        tag: conversationId,
        stdin: input,
        stdoutLimitBytes: outputLimitBytes,
        signal,
      }).catch((error: unknown) => {
        throw asAssayError(error, 'TARGET_NOT_LOADED');
      });
      signal.throwIfAborted();
      return {
        messages: [{ role: 'assistant', content: answerOf(end, command) }],
        latencyMs: end.durationMs,
        raw: {
          request: { command, body: traceText(input, (part) => part) },
          response: { body: traceText(end.stdout.text, (part) => part), stderr: end.stderr.text },
        },
      };
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
}

/** A program that fails has not answered, whatever it printed before. */
function answerOf({ exitCode, signal, stdout, isText, stderr }: ProcessEnd, command: string): string {
  const fail = (problem: string): AssayError => {
    const text = stderr.text.trim() || stdout.text.trim();
    const excerpt = text === '' ? '' : `: ${excerptOf(text.slice(-300), (part) => part)}`;
    return new AssayError('TARGET_CRASHED', `\`${command}\` ${problem}${excerpt}.`, {
      hint: 'Run the command in a shell, with a message as its last argument.',
    });
  };
  if (exitCode !== 0) throw fail(signal === null ? `exited with code ${exitCode}` : `was ended by ${signal}`);
  if (stdout.truncatedBytes > 0) throw fail(`printed more than ${outputLimitBytes / 1e6} MB`);
  if (!isText) throw fail('printed text that is not UTF-8');
  if (stdout.text.trim() === '') throw fail('printed nothing');
  return stdout.text.trim();
}
