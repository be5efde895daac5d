import type { EventCodec } from '../codec.ts';
import { serverSentEvent } from '../values.ts';
import { ChatStream, readChatReply, writtenInChunk } from './reply.ts';
import { readChatRequest, writeChatRequest } from './request.ts';
import { writeChatReply, writeChatStream } from './write-reply.ts';

/** OpenAI's chat completions, which most other providers speak too. */
export const openaiChat: EventCodec = {
  name: 'openai-chat',
  isCall: (pathname) => /\/chat\/completions\/?$/.test(pathname),
  readRequest: readChatRequest,
  writeRequest: (request) => writeChatRequest(request),
  withModel: (body, pathname, model) => ({ body: { ...body, model }, pathname }),
  // The newer name only where the request uses it: many servers that speak this API know the older one alone.
  withMaxOutputTokens: (body, maxOutputTokens) =>
    'max_completion_tokens' in body
      ? { ...body, max_completion_tokens: maxOutputTokens }
      : { ...body, max_tokens: maxOutputTokens },
  readReply: readChatReply,
  openStream: () => new ChatStream(),
  writeReply: writeChatReply,
  writeStream: writeChatStream,
  firstToken: /"(?:content|reasoning_content|reasoning|refusal|arguments|name)"\s*:\s*"[^"]/,
  isFact: (data) => /"usage"\s*:\s*\{|"finish_reason"\s*:\s*"|"error"\s*:|"role"\s*:/.test(data),
  writtenIn: writtenInChunk,
  streamError: (message) =>
    serverSentEvent({ error: { type: 'insufficient_quota', code: 'insufficient_quota', param: null, message } }),
};
