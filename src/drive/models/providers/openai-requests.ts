import type { JsonObject, WireRequest } from '../../wire/codec.ts';
import { writeChatRequest } from '../../wire/openai-chat/request.ts';
import { openaiResponses } from '../../wire/openai-responses/codec.ts';
import { recordsIn } from '../../wire/values.ts';

/** Whether a model such as `o3` or `gpt-5-mini` reasons, by its name. */
function reasons(model: string): boolean {
  if (/^o\d+(?:-|$)/.test(model)) return true;
  const [, major, minor, variant = ''] = /^gpt-(\d+)(?:\.(\d+))?(?:-(.+))?$/.exec(model) ?? [];
  return Number(major) >= 5 && !(minor === undefined && variant.startsWith('chat'));
}

/** The provider need not keep the requests of an evaluation. */
const stored = { store: false };

/** A request to OpenAI: models that reason take no temperature, and have other names for the limit and the system. */
export function writeOpenaiRequest(request: WireRequest): JsonObject {
  const { model, temperature: _, ...others } = request;
  if (/^gpt-4o(?:-mini)?-search-preview/.test(model)) return { ...writeChatRequest({ model, ...others }), ...stored };
  if (!reasons(model)) return { ...writeChatRequest(request), ...stored };
  const body = writeChatRequest({ model, ...others }, 'max_completion_tokens');
  const messages = recordsIn(body.messages).map((message) =>
    message.role === 'system' ? { ...message, role: 'developer' } : message,
  );
  return { ...body, messages, ...stored };
}

/** The same for OpenAI's Responses. */
export function writeResponsesRequest({ temperature, ...request }: WireRequest): JsonObject {
  const tempered = reasons(request.model) ? request : { ...request, temperature };
  return { ...openaiResponses.writeRequest(tempered), ...stored };
}

/** A request to a server that can be made to answer with any JSON, and not with JSON of a schema. */
export function writeWithoutSchema({ output, ...request }: WireRequest): JsonObject {
  return writeChatRequest({ ...request, ...(output && { output: { name: output.name } }) });
}
