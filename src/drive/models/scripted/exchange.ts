import { hash } from 'node:crypto';
import type { ModelFile } from '../../attachments/attached-file.ts';
import type {
  Codec,
  JsonObject,
  ReceivedRequest,
  WireMessage,
  WirePart,
  WireReply,
  WriteOptions,
} from '../../wire/codec.ts';
import { responseIdPrefix } from '../../wire/openai-responses/write-reply.ts';
import { argumentValue, callsOf, recordIn, textIn, textOf } from '../../wire/values.ts';
import type { ModelMessage } from '../model.ts';
import { type Conversation, conversationOf, type ScriptedReply } from './conversation.ts';
import { type Exchange, type Recall, RefusedRequest, type RequestLine } from './dialect.ts';

/** A request and how its reply is written, both by the codec of its API. */
export function exchangeOf(
  codec: Codec,
  path: string,
  request: ReceivedRequest,
  body: JsonObject,
  { query }: RequestLine,
  recall: Recall,
): Exchange {
  const options = ({ createdAtSecs, pieceCount }: ScriptedReply): WriteOptions => ({
    ...{ createdAtSecs, pieceCount, request, body },
  });
  const events = (reply: ScriptedReply) => codec.writeStream(wireReply(reply, request), options(reply));
  // Without `alt=sse` a stream of Gemini is one JSON list that is sent item by item.
  const isList = codec.name === 'gemini' && query.get('alt') !== 'sse';
  return {
    conversation: conversationIn(path, request, earlierMessages(body, recall)),
    streamType: isList ? 'application/json' : 'text/event-stream',
    whole: (reply) => codec.writeReply(wireReply(reply, request), options(reply)),
    frames: (reply) => (isList ? asList(events(reply)) : events(reply)),
  };
}

function* asList(events: Iterable<string>): Generator<string> {
  let opening = '[';
  for (const event of events) {
    yield `${opening}${event.slice('data: '.length).trimEnd()}`;
    opening = ',\r\n';
  }
  yield ']';
}

/** The conversation that a client of OpenAI's Responses continues by the id of its last response. */
function earlierMessages({ previous_response_id: id }: JsonObject, recall: Recall): readonly ModelMessage[] {
  if (typeof id !== 'string') return [];
  const messages = id.startsWith(responseIdPrefix) ? recall(id.slice(responseIdPrefix.length)) : undefined;
  if (messages) return messages;
  throw new RefusedRequest(400, `Previous response with id '${id}' not found.`);
}

/** The reply of a script as codecs write it. */
function wireReply({ id, model, text, toolCalls, usage }: ScriptedReply, { tools }: ReceivedRequest): WireReply {
  const calls = toolCalls.map(({ callId, tool, input }): WirePart => {
    const isFreeform = tools.find(({ name }) => name === tool)?.isFreeform ?? false;
    // Text is JSON as any other input, unless the tool takes text.
    const written = typeof input === 'string' && !isFreeform ? JSON.stringify(input) : input;
    return { kind: 'call', call: { callId, tool, arguments: written } };
  });
  return {
    ...{ id, model, usage, stopReason: undefined, error: undefined, unplaced: [] },
    parts: [...(text === '' ? [] : [{ kind: 'text' as const, text }]), ...calls],
    finish: calls.length > 0 ? 'tool-calls' : 'stop',
  };
}

/** The content of a request, by the name of its dialect. */
export function conversationIn(
  path: string,
  { model, isStreaming, system, messages, tools, demandedTool }: ReceivedRequest,
  earlier: readonly ModelMessage[] = [],
): Conversation {
  if (model === '') throw new RefusedRequest(400, '`model` must name a model.');
  const written = modelMessages(messages);
  return conversationOf({
    ...{ path, model, isStreaming, system, demandedTool },
    messages: [...earlier, ...(path === 'responses' ? inReplies(written) : written)],
    tools: tools.map(({ name, isFreeform = false, namespace }) => ({ name, isFreeform, namespace })),
  });
}

/** In OpenAI's Responses, items of the model that follow one another are one reply of it. */
function inReplies(items: readonly ModelMessage[]): readonly ModelMessage[] {
  const messages: ModelMessage[] = [];
  for (const message of items) {
    const before = messages.at(-1);
    if (message.role === 'assistant' && before?.role === 'assistant')
      messages[messages.length - 1] = {
        role: 'assistant',
        content: [before.content, message.content].filter((text) => text !== '').join('\n'),
        toolCalls: [...(before.toolCalls ?? []), ...(message.toolCalls ?? [])],
      };
    else messages.push(message);
  }
  return messages;
}

/** Results of tools are separate messages, before the words of the user that they came with. */
function modelMessages(messages: readonly WireMessage[]): ModelMessage[] {
  const toolNames = new Map<string, string>();
  return messages.flatMap(({ role, parts }): ModelMessage[] => {
    if (role === 'system') return [];
    const content = textOf(parts, '\n');
    if (role === 'assistant') {
      const toolCalls = callsOf(parts).map((call) => ({
        callId: call.callId,
        tool: call.tool,
        input: argumentValue(call),
      }));
      for (const { callId, tool } of toolCalls) toolNames.set(callId, tool);
      return [{ role, content, toolCalls }];
    }
    const results = parts.flatMap((part): ModelMessage[] => {
      if (part.kind !== 'result') return [];
      const { callId, tool = toolNames.get(callId) ?? '', content: result } = part.result;
      return [{ role: 'tool', callId, tool, content: result }];
    });
    return content === '' && results.length > 0 ? results : [...results, { role: 'user', content, ...filesIn(parts) }];
  });
}

/** The files among the parts of a message, by the digest of the bytes that came. */
function filesIn(parts: readonly WirePart[]): { readonly files?: readonly ModelFile[] } {
  const files = parts.flatMap((part) => (part.kind === 'block' ? (fileIn(part.block) ?? []) : []));
  return files.length > 0 ? { files } : {};
}

/** A file in the form of any API. */
function fileIn(part: JsonObject): ModelFile | undefined {
  const { source, inlineData, image, document } = part;
  const file = 'file' in part ? recordIn(part.file) : part;
  const named = textIn(file.filename ?? part.title);
  const url = textIn(recordIn(part.image_url).url ?? part.image_url ?? file.file_data);
  const [, urlType, urlData] = /^data:([^;,]+);base64,(.*)$/s.exec(url) ?? [];
  if (urlType !== undefined) return receivedFile(named, urlType, urlData);
  const { type, media_type: mediaType, data } = recordIn(source);
  if (type === 'base64') return receivedFile(named, mediaType, data);
  if (inlineData !== undefined) return receivedFile(named, recordIn(inlineData).mimeType, recordIn(inlineData).data);
  const [kind, block] = image === undefined ? ['application', recordIn(document)] : ['image', recordIn(image)];
  const { bytes } = recordIn(block.source);
  return bytes === undefined ? undefined : receivedFile(textIn(block.name), `${kind}/${textIn(block.format)}`, bytes);
}

function receivedFile(name: string, mediaType: unknown, base64: unknown): ModelFile {
  const content = Buffer.from(textIn(base64), 'base64');
  return { name, mediaType: textIn(mediaType), sha256: hash('sha256', content), bytes: content.length };
}
