import type { JsonObject, WireRequest } from '../../wire/codec.ts';
import { openaiChat } from '../../wire/openai-chat/codec.ts';
import { writeChatRequest } from '../../wire/openai-chat/request.ts';
import { recordsIn } from '../../wire/values.ts';
import { httpModel } from '../http-model.ts';
import type { Connection, ReplyModel } from '../provider.ts';
import { wireRequest } from '../wire-request.ts';
import { hasStrictSchema } from './strict-schema.ts';

/** A model behind OpenAI's chat API, or behind a server that speaks it. */
export function chatModel(
  model: string,
  { baseUrl, fetch, headers }: Pick<Connection, 'baseUrl' | 'fetch' | 'headers'>,
  write: (request: WireRequest) => JsonObject,
): ReplyModel {
  const sent = { 'content-type': 'application/json', ...headers };
  return httpModel({
    codec: openaiChat,
    url: new URL(`${baseUrl}/chat/completions`),
    fetch,
    headersFor: () => sent,
    bodyOf(request) {
      const { output, ...written } = wireRequest(request, model);
      return write({ ...written, ...(output && { output: { ...output, isStrict: hasStrictSchema(request) } }) });
    },
  });
}

/** The version of a model such as `o3` or `gpt-5-mini`, where its name has one. */
function reasons(model: string): boolean {
  if (/^o\d+(?:-|$)/.test(model)) return true;
  const [, major, minor, variant = ''] = /^gpt-(\d+)(?:\.(\d+))?(?:-(.+))?$/.exec(model) ?? [];
  return Number(major) >= 5 && !(minor === undefined && variant.startsWith('chat'));
}

/** A request to OpenAI: models that reason take no temperature, and have other names for the limit and the system. */
export function writeOpenaiRequest(request: WireRequest): JsonObject {
  // The provider need not keep the requests of an evaluation.
  const stored = { store: false };
  const { model, temperature: _, ...others } = request;
  if (/^gpt-4o(?:-mini)?-search-preview/.test(model)) return { ...writeChatRequest({ model, ...others }), ...stored };
  if (!reasons(model)) return { ...writeChatRequest(request), ...stored };
  const body = writeChatRequest({ model, ...others }, 'max_completion_tokens');
  const messages = recordsIn(body.messages).map((message) =>
    message.role === 'system' ? { ...message, role: 'developer' } : message,
  );
  return { ...body, messages, ...stored };
}
