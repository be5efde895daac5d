import type { Message } from '../../domain/message.ts';
import { isRecord } from '../../shared/json.ts';
import { parseJson } from './parse-json.ts';
import { nameOf } from './told-values.ts';

type JsonObject = Readonly<Record<string, unknown>>;

const roles: ReadonlyMap<string, Message['role']> = new Map([
  ['system', 'system'],
  ['developer', 'system'],
  ['user', 'user'],
  ['human', 'user'],
  ['assistant', 'assistant'],
  ['ai', 'assistant'],
  ['model', 'assistant'],
  ['tool', 'tool'],
  ['function', 'tool'],
]);

const shellTools = /^(?:bash|shell|sh|terminal|run_shell_command|execute_bash|run_command|exec_command|local_shell)$/i;

/** Whether an object is a message in the manner of OpenAI's or Anthropic's chats. */
export function isChatMessage(value: unknown): value is JsonObject {
  return (
    isRecord(value) && roleOf(value) !== undefined && ('content' in value || 'tool_calls' in value || 'parts' in value)
  );
}

/** Whether a tool is a shell by its name, with the command line that it was given. */
export function shellCommandOf(tool: string, input: unknown): { shellCommand?: string } {
  const command = isRecord(input) ? (input.command ?? input.cmd) : undefined;
  return shellTools.test(tool) && typeof command === 'string' ? { shellCommand: command } : {};
}

/** Who speaks, in our words. */
export function roleOf({ role }: JsonObject): Message['role'] | undefined {
  return typeof role === 'string' ? roles.get(role.toLowerCase()) : undefined;
}

/** A call of a tool as a message tells it. */
export interface ToldCall {
  readonly id: string | undefined;
  readonly name: string;
  readonly input: unknown;
}

/** The calls of a message, in any of the ways in which they are written. */
export function callsIn(message: JsonObject): ToldCall[] {
  const listed = Array.isArray(message.tool_calls) ? message.tool_calls.filter(isRecord) : [];
  const old = isRecord(message.function_call) ? [{ function: message.function_call }] : [];
  const called = [...listed, ...old].map((call: JsonObject) => {
    const named = isRecord(call.function) ? call.function : call;
    return {
      id: nameOf(call.id),
      name: nameOf(named.name) ?? 'unknown',
      input: inputOf(named.arguments ?? named.args),
    };
  });
  const blocks = blocksOf(message).filter(({ type }) => type === 'tool_use' || type === 'tool_call');
  const inBlocks = blocks.map(({ id, name, input, arguments: written }) => {
    return { id: nameOf(id), name: nameOf(name) ?? 'unknown', input: inputOf(input ?? written) };
  });
  return [...called, ...inBlocks];
}

function inputOf(written: unknown): unknown {
  return typeof written === 'string' ? (parseJson(written) ?? written) : (written ?? {});
}

/** The parts of a message that has some. */
export function blocksOf({ content, parts }: JsonObject): JsonObject[] {
  const list = content ?? parts;
  return Array.isArray(list) ? list.filter(isRecord) : [];
}

/** The words of a message; empty where it has none. */
export function textIn(message: JsonObject): string {
  if (typeof message.content === 'string') return message.content;
  const texts = blocksOf(message).map(({ type, text, content }) => {
    if (type === 'tool_use' || type === 'tool_call' || type === 'tool_result') return undefined;
    return typeof text === 'string' ? text : content;
  });
  return texts.filter((text) => typeof text === 'string').join('\n');
}
