import { fileText, type ModelFile } from '../attachments/attached-file.ts';
import type { WireMessage, WirePart, WireRequest } from '../wire/codec.ts';
import type { ModelMessage, ModelRequest } from './model.ts';
import { hasStrictSchema } from './strict-schema.ts';

/** A request to a model as codecs write it. */
export function wireRequest(request: ModelRequest, model: string): WireRequest {
  const { system = '', repeatsSystem, messages, tools = [], output, temperature, maxOutputTokens, seed } = request;
  return {
    ...{ model, system, repeatsSystem, tools, temperature, maxOutputTokens, seed },
    ...(output && { output: { ...output, isStrict: hasStrictSchema(output.schema) } }),
    messages: messages.map(wireMessage),
    isStreaming: false,
  };
}

function wireMessage(message: ModelMessage): WireMessage {
  switch (message.role) {
    case 'user':
      return { role: 'user', parts: [{ kind: 'text', text: message.content }, ...(message.files ?? []).map(filePart)] };
    case 'assistant': {
      const calls = (message.toolCalls ?? []).map(
        ({ callId, tool, input }): WirePart => ({
          kind: 'call',
          call: { callId, tool, arguments: input },
        }),
      );
      // Some providers refuse a text that is empty.
      const words: WirePart[] = message.content === '' ? [] : [{ kind: 'text', text: message.content }];
      return { role: 'assistant', parts: [...words, ...calls] };
    }
    case 'tool': {
      const { callId, tool, content } = message;
      return { role: 'tool', parts: [{ kind: 'result', result: { callId, tool, content } }] };
    }
  }
}

function filePart({ name, mediaType, read }: ModelFile): WirePart {
  const data = read?.() ?? new Uint8Array();
  if (mediaType === 'text/plain') return { kind: 'text', text: fileText(name, data) };
  return { kind: 'file', file: { name, mediaType, base64: () => Buffer.from(data).toString('base64') } };
}
