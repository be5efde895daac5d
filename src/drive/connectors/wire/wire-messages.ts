import { attachmentIn } from '../../../domain/attachment.ts';
import { type Message, messageText } from '../../../domain/message.ts';
import { type AttachedFile, fileText, isTextFile } from '../../attachments/attached-file.ts';
import type { ModelTool } from '../../models/model.ts';
import type { WireMessage, WirePart, WireReply, WireTool } from '../../wire/codec.ts';
import { argumentText, callsOf, textOf } from '../../wire/values.ts';
import { blocksOf, toolCall } from './messages.ts';

/** A conversation as codecs write it, with the files themselves in the place of attachments. */
export function wireMessages(messages: readonly Message[], files: readonly AttachedFile[] = []): WireMessage[] {
  return messages.map((message) => {
    const { role, name } = message;
    if (role === 'tool') return { role, parts: [resultPart(message)] };
    return {
      role,
      parts: [...contentParts(message, files), ...callParts(message)],
      ...(name !== undefined && { name }),
    };
  });
}

function resultPart(message: Message): WirePart {
  const { content, tool_call_id: callId = '', name: tool } = message;
  const text = messageText(message) || (typeof content === 'string' ? '' : JSON.stringify(content ?? ''));
  return { kind: 'result', result: { callId, tool, content: text } };
}

function callParts({ tool_calls = [] }: Message): WirePart[] {
  return tool_calls.map(({ id: callId, function: { name: tool, arguments: written } }) => ({
    kind: 'call',
    call: { callId, tool, arguments: written },
  }));
}

/** Blocks that repeat the calls of a message are left out. */
function contentParts({ content, tool_calls: calls = [] }: Message, files: readonly AttachedFile[]): WirePart[] {
  return blocksOf(content).flatMap((block): WirePart[] => {
    if (block.type === 'text') return [{ kind: 'text', text: block.text ?? '' }];
    if (calls.length > 0 && /tool[_-](?:use|call)$/.test(block.type)) return [];
    const file = fileFor(block, files);
    if (!file) return [{ kind: 'block', block }];
    return [isTextFile(file) ? { kind: 'text', text: fileText(file.name, file.read()) } : { kind: 'file', file }];
  });
}

/** The file that a block of a user's message stands for. */
export function fileFor(block: { readonly type: string }, files: readonly AttachedFile[]): AttachedFile | undefined {
  const attachment = attachmentIn(block);
  return attachment && files.find(({ sha256, path }) => sha256 === attachment.sha256 && path === attachment.path);
}

/** A request as the trace keeps it: digests in the place of the bytes. */
export function withoutFileData(body: string, files: readonly AttachedFile[] | undefined): string {
  const sent = (files ?? []).filter((file) => !isTextFile(file));
  return sent.reduce((text, file) => text.replaceAll(file.base64(), `sha256:${file.sha256}`), body);
}

/** Tools of the config, which are written as the API has them, and tools that are run here. */
export function wireTools(
  written: readonly Record<string, unknown>[] = [],
  run: readonly ModelTool[] = [],
): WireTool[] {
  return [
    ...written.map((tool) => ({ name: '', written: tool })),
    ...run.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
  ];
}

/** A reply as one message of the assistant, followed by the results of tools that the provider itself ran. */
export function messagesOf({ parts }: Pick<WireReply, 'parts'>, separator: string): Message[] {
  const text = textOf(parts, separator);
  const calls = callsOf(parts).map((call) => toolCall(call.callId, call.tool, argumentText(call)));
  const content = text === '' && calls.length > 0 ? null : text;
  const results = parts.flatMap((part): Message[] => {
    if (part.kind !== 'result') return [];
    const { callId, tool, content: result, isError } = part.result;
    const named = tool === undefined ? {} : { name: tool };
    return [{ role: 'tool', tool_call_id: callId, content: result, ...named, ...(isError && { status: 'error' }) }];
  });
  return [{ role: 'assistant', content, ...(calls.length > 0 && { tool_calls: calls }) }, ...results];
}
