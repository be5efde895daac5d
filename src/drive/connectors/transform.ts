import { resolve } from 'node:path';
import * as z from 'zod';
import { AssayError } from '../../domain/errors.ts';
import { type Message, messageText } from '../../domain/message.ts';
import { parseJson } from '../../shared/json.ts';
import { problemOfCode } from '../targets/call/compile-code.ts';
import { UserCodeFailure, UserFunction } from '../targets/call/user-code.ts';
import { moduleIssues, userModuleSchema } from '../targets/call/user-module.ts';
import type { ConfigIssue } from '../targets/target.ts';
import type { Connector, ConnectorRequest } from './connector.ts';

const parameters = ['output', 'context'];

const stepSchema = () =>
  z.union([
    z.string().superRefine((code, context) => {
      const problem = problemOfCode(code, parameters);
      if (problem !== undefined) context.addIssue({ code: 'custom', message: `the code cannot be used: ${problem}` });
    }),
    userModuleSchema(),
  ]);

/** Steps that make the judged answer of the agent's output, one after the other. */
export const transformSchema = () => z.union([stepSchema(), z.array(stepSchema()).min(1)]);
export type Transform = z.output<ReturnType<typeof transformSchema>>;

/** Files of a transform that do not exist. */
export function transformIssues(transform: Transform | undefined, directory: string): ConfigIssue[] {
  const steps = transform === undefined ? [] : [transform].flat();
  return steps.flatMap((step, index) => {
    if (typeof step === 'string') return [];
    return moduleIssues(step.module, directory, Array.isArray(transform) ? [index] : []);
  });
}

const timeoutMs = 30_000;

/**
 * A connector whose answers are changed by JavaScript of the scenario before they are judged. The trace keeps the
 * answer as it came, and code that fails makes the trial an error.
 */
export function withTransform(inner: Connector, transform: Transform, directory: string): Connector {
  const steps = [transform]
    .flat()
    .map((step) =>
      typeof step === 'string'
        ? new UserFunction({ code: step, exportName: 'default', parameters })
        : new UserFunction({ file: resolve(directory, step.module), exportName: step.export, parameters }),
    );
  // The agent is sent its own words in later turns.
  const originals = new WeakMap<Message, Message>();
  return {
    ...inner,
    async invoke(request) {
      const messages = request.messages.map((message) => originals.get(message) ?? message);
      const response = await inner.invoke({ ...request, messages });
      const index = response.messages.findLastIndex(({ role }) => role === 'assistant');
      const original = response.messages[index];
      if (!original) return response;
      const changed = await transformed(original, steps, request);
      originals.set(changed, original);
      return { ...response, messages: response.messages.map((message, at) => (at === index ? changed : message)) };
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...steps, inner].map((part) => part[Symbol.asyncDispose]()));
    },
  };
}

async function transformed(
  message: Message,
  steps: readonly UserFunction[],
  request: ConnectorRequest,
): Promise<Message> {
  const before = outputOf(message);
  let output = before;
  for (const step of steps) output = await callStep(step, output, request);
  request.emit?.({ type: 'other', kind: 'transformed', data: { from: before, to: output } });
  return withOutput(message, output);
}

async function callStep(step: UserFunction, output: unknown, { messages, signal }: ConnectorRequest): Promise<unknown> {
  const context = { prompt: messageText(messages.at(-1) ?? { content: null }) };
  try {
    const value = await step.call({ output, context }, { timeoutMs, signal });
    if (value === undefined || value === null) throw new UserCodeFailure('it returned nothing');
    return value;
  } catch (error) {
    if (!(error instanceof UserCodeFailure)) throw error;
    throw new AssayError('CODE_FAILED', `The transform of the answer failed: ${error.message}.`);
  }
}

/** Output of an agent as code gets it: its text, the value that a transform made, or its tool calls where it has no text. */
export function outputOf(message: Message): unknown {
  const text = messageText(message);
  const data = isData(message) ? parseJson(text) : undefined;
  if (data !== undefined) return data;
  return text === '' && message.tool_calls && message.tool_calls.length > 0 ? message.tool_calls : text;
}

function withOutput(message: Message, output: unknown): Message {
  if (typeof output === 'string') return { ...message, content: output };
  return { ...message, content: JSON.stringify(output), metadata: { isData: true } };
}

function isData({ metadata }: Message): boolean {
  return typeof metadata === 'object' && metadata !== null && 'isData' in metadata && metadata.isData === true;
}
