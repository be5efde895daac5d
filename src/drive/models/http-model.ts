import { parseJson } from '../../shared/json.ts';
import { fileText, type ModelFile } from '../attachments/attached-file.ts';
import type { Codec, JsonObject, WireMessage, WirePart, WireReply, WireRequest } from '../wire/codec.ts';
import { argumentText } from '../wire/values.ts';
import type { ModelMessage, ModelRequest } from './model.ts';
import type { ReplyModel } from './provider.ts';
import { AnsweredError } from './provider-errors.ts';
import type { Send } from './send-request.ts';
import { hasStrictSchema } from './strict-schema.ts';

type Headers = Readonly<Record<string, string>>;

interface HttpModelParts {
  /** As the provider knows it. */
  readonly model: string;
  readonly codec: Codec;
  readonly url: string;
  readonly send: Send;
  /** Those that say who sends the request; a function where they depend on it. */
  readonly headers: Headers | ((body: string, url: URL, signal: AbortSignal) => Headers | Promise<Headers>);
  /** The body, where it is not what the codec writes. */
  write?(request: WireRequest): JsonObject;
}

/** A model that is prompted through the codec of its API. */
export function httpModel({ model, codec, url: address, send, headers, write }: HttpModelParts): ReplyModel {
  const url = new URL(address);
  return {
    async send(request, signal) {
      const written = wireRequest(request, model);
      const body = JSON.stringify(write ? write(written) : codec.writeRequest(written));
      const own = typeof headers === 'function' ? await headers(body, url, signal) : headers;
      const response = await send({ url, headers: { 'content-type': 'application/json', ...own }, body, signal });
      const { status, headers: received, body: text } = response;
      if (status < 200 || status > 299) throw new AnsweredError(status, text, received);
      const reply = codec.readReply(parseJson(text));
      if (!reply || reply.error !== undefined) throw new AnsweredError(status, text, {});
      return request.output && !request.tools?.length ? inRequestedForm(reply) : reply;
    },
  };
}

/** The form of an answer as a tool whose input is the answer, for models that enforce no schema otherwise. */
export function asDemandedTool({ output, ...request }: WireRequest): WireRequest {
  if (output?.schema === undefined || request.tools.length > 0) return request;
  const tool = { name: output.name, description: 'Gives the answer', inputSchema: output.schema };
  return { ...request, tools: [tool], demandedTool: tool.name };
}

/** The answer to a request that offered no other tool; words beside the form would make it unreadable. */
function inRequestedForm(reply: WireReply): WireReply {
  const filled = reply.parts.findLast((part) => part.kind === 'call');
  if (filled?.kind !== 'call') return reply;
  return { ...reply, parts: [{ kind: 'text', text: argumentText(filled.call) }], finish: 'stop' };
}

/** A request to a model as codecs write it. */
function wireRequest(request: ModelRequest, model: string): WireRequest {
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
