import type { AgentActions } from '../actions.ts';
import { fieldAt, listOf, numberOf, objectOf, parseJsonObject, textOf } from '../json-shapes.ts';

/** A tool call as far as the agent has reported it; each update adds to it. */
export interface AcpToolCall {
  readonly id: string;
  title: string | undefined;
  /** The title of the first announcement, which agents fill with the name of the tool. */
  firstTitle: string | undefined;
  kind: string | undefined;
  status: string | undefined;
  input: unknown;
  output: unknown;
  content: readonly unknown[];
}

/** A call without any details yet. */
export function newToolCall(id: string): AcpToolCall {
  const unknown = { title: undefined, firstTitle: undefined, kind: undefined, status: undefined };
  return { id, ...unknown, input: undefined, output: undefined, content: [] };
}

/** Adds the fields of an announcement, an update or a permission request to a call. */
export function applyUpdate(call: AcpToolCall, update: unknown): void {
  const { title, kind, status, rawInput, rawOutput, content } = objectOf(update);
  call.title = textOf(title) ?? call.title;
  call.firstTitle ??= call.title;
  call.kind = textOf(kind) ?? call.kind;
  call.status = textOf(status) ?? call.status;
  call.input = rawInput ?? call.input;
  call.output = rawOutput ?? call.output;
  if (Array.isArray(content)) call.content = content;
}

/** Kinds of the protocol. Its agents have no word for skills, sub-agents and tools of MCP servers. */
export const acpActions: AgentActions = {
  tools: {
    execute: 'shell',
    read: 'read',
    delete: 'edit',
    edit: 'edit',
    move: 'edit',
    search: 'search',
    fetch: 'fetch',
    switch_mode: 'other',
    think: 'other',
  },
  subagents: 'hidden',
};

const statuses: ReadonlySet<unknown> = new Set([undefined, 'pending', 'in_progress', 'completed', 'failed']);
const contents: ReadonlySet<unknown> = new Set(['content', 'diff', 'terminal']);
const blocks: ReadonlySet<unknown> = new Set([undefined, 'text', 'image', 'audio', 'resource', 'resource_link']);

/** The first part of a call whose kind is not known, in words. */
export function unknownIn({ status, content }: AcpToolCall): string | undefined {
  if (!statuses.has(status)) return `status/${status}`;
  const other =
    content.find((part) => !contents.has(fieldAt(part, 'type'))) ??
    content.map((part) => fieldAt(part, 'content')).find((block) => !blocks.has(fieldAt(block, 'type')));
  return other === undefined ? undefined : `content/${String(fieldAt(other, 'type'))}`;
}

/** Whether the agent says that the call has ended. */
export function isOver(call: AcpToolCall): boolean {
  return call.status === 'completed' || call.status === 'failed';
}

/** Whether the agent says that the call runs a command. */
export function isShell(call: AcpToolCall): boolean {
  return call.kind === 'execute' || (call.kind === undefined && commandIn(call.input) !== undefined);
}

/** The command line that the call is sure to run; undefined while the agent has not reported it. */
export function commandOf(call: AcpToolCall): string | undefined {
  // Before the command runs, some agents show its input as the content; later the content is what it printed.
  return commandIn(call.input) ?? (isOver(call) ? undefined : commandIn(parseJsonObject(textIn(call))));
}

function commandIn(input: unknown): string | undefined {
  const command = fieldAt(input, 'command');
  const words = listOf(command).filter((word) => typeof word === 'string');
  return textOf(command) ?? textOf(words.join(' '));
}

/** The text that the call has produced so far. */
export function textIn(call: AcpToolCall): string {
  return call.content.map((part) => textOf(fieldAt(part, 'content', 'text')) ?? '').join('');
}

/** The terminals of ours in which the call runs its command. */
export function terminalsIn(call: AcpToolCall): string[] {
  return call.content.map((part) => textOf(fieldAt(part, 'terminalId'))).filter((id) => id !== undefined);
}

/** The exit code in the agent's raw output or in its text; null when it has none. */
export function exitCodeOf(call: AcpToolCall): number | null {
  const { output } = call;
  const places = [
    fieldAt(output, 'exitCode'),
    fieldAt(output, 'exit_code'),
    fieldAt(output, 'metadata', 'exit'),
    ...listOf(fieldAt(output, 'contents')).map((part) => fieldAt(part, 'exitCode')),
  ];
  const exitCode = places.map(numberOf).find((code) => code !== undefined);
  return exitCode ?? exitCodeInWords(textOf(output) ?? textIn(call));
}

/** An exit code at the end of what a command printed, where agents add it for their model. */
function exitCodeInWords(text: string): number | null {
  const found = /\bexit(?:ed with)?(?: code|_code)?:? (\d{1,3})\W*$/i.exec(text.slice(-200));
  return found?.[1] === undefined ? null : Number(found[1]);
}
