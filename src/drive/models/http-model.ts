import { parseJson } from '../../shared/json.ts';
import type { Codec, JsonObject } from '../wire/codec.ts';
import type { ModelRequest } from './model.ts';
import type { ReplyModel } from './provider.ts';
import { AnsweredError } from './provider-errors.ts';

interface HttpModelParts {
  readonly codec: Codec;
  readonly url: URL;
  readonly fetch: typeof globalThis.fetch;
  /** They say who sends the request. */
  headersFor(body: string): Readonly<Record<string, string>>;
  bodyOf(request: ModelRequest): JsonObject;
}

/** A model that is prompted through the codec of its API. */
export function httpModel({ codec, url, fetch, headersFor, bodyOf }: HttpModelParts): ReplyModel {
  return {
    async send(request, signal) {
      const body = JSON.stringify(bodyOf(request));
      const response = await fetch(url.href, { method: 'POST', headers: headersFor(body), body, signal });
      const text = await response.text();
      if (!response.ok) throw new AnsweredError(response.status, text, Object.fromEntries(response.headers));
      const reply = codec.readReply(parseJson(text));
      if (!reply || reply.error !== undefined) throw new AnsweredError(response.status, text, {});
      return reply;
    },
  };
}
