import { createHash } from 'node:crypto';
import { isRecord, parseJson } from '../../../shared/json.ts';
import type { JsonObject } from '../../wire/codec.ts';
import { textIn } from '../../wire/values.ts';
import { conversationOf, type ScriptedReply } from './conversation.ts';
import { type Dialect, type Exchange, openaiError, RefusedRequest } from './dialect.ts';

/** OpenAI's embeddings. A rule for this path replies with the vectors; without one, texts with common words are near. */
export const embeddings: Dialect = {
  name: 'embeddings',
  environment: () => ({}),
  taskOf({ method, pathname }) {
    return method === 'POST' && /^(\/v1)?\/embeddings$/.test(pathname) ? { kind: 'converse', open } : undefined;
  },
  renderError: openaiError,
};

function open(body: JsonObject): Exchange {
  const texts = textsIn(body.input);
  const model = textIn(body.model);
  if (model === '') throw new RefusedRequest(400, '`model` must name a model.');
  return {
    conversation: conversationOf({
      path: embeddings.name,
      model,
      isStreaming: false,
      system: '',
      messages: [{ role: 'user', content: texts.join('\n') }],
      tools: [],
      needsOwnRule: true,
    }),
    streamType: 'application/json',
    usualReply: JSON.stringify(texts.map(wordVector)),
    whole,
    frames: () => [],
  };
}

function textsIn(input: unknown): string[] {
  const texts: unknown[] = Array.isArray(input) ? input : [input];
  if (texts.length > 0 && texts.every((text) => typeof text === 'string' && text !== '')) return texts as string[];
  throw new RefusedRequest(400, '`input` must be a text or a list of texts, none of them empty.');
}

function whole({ model, text, usage: { inputTokens } }: ScriptedReply): unknown {
  const vectors = parseJson(text);
  const data = (Array.isArray(vectors) ? (vectors as unknown[]) : []).map((embedding, index) =>
    isRecord(embedding) ? embedding : { object: 'embedding', index, embedding },
  );
  return { object: 'list', data, model, usage: { prompt_tokens: inputTokens, total_tokens: inputTokens } };
}

const dimensions = 64;

/** Counts words in fixed places, so texts with the same words have the same vector. */
function wordVector(text: string): number[] {
  const vector = new Array<number>(dimensions).fill(0);
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [text]) {
    const place = createHash('sha256').update(word).digest().readUInt32BE(0) % dimensions;
    vector[place] = (vector[place] ?? 0) + 1;
  }
  return vector;
}
