import { parseJson } from '../../shared/json.ts';
import { countIn, recordIn, recordsIn } from '../wire/values.ts';
import type { EmbeddingModel } from './provider.ts';
import { AnsweredError } from './provider-errors.ts';
import type { Send } from './send-request.ts';

interface EmbeddingParts {
  readonly model: string;
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly send: Send;
}

/** A model behind OpenAI's embeddings API, which other servers speak too. */
export function openaiEmbeddings({ model, baseUrl, ...parts }: EmbeddingParts): EmbeddingModel {
  return embeddingModel(`${baseUrl}/embeddings`, parts, {
    bodyOf: (input) => ({ model, input, encoding_format: 'float' }),
    vectorsIn: ({ data }) => recordsIn(data).map(({ embedding }) => embedding),
    tokensIn: ({ usage }) => countIn(recordIn(usage).prompt_tokens),
  });
}

/** A model behind Gemini's embeddings API, which does not count tokens. */
export function geminiEmbeddings({ model, baseUrl, ...parts }: EmbeddingParts): EmbeddingModel {
  const name = `models/${model}`;
  return embeddingModel(`${baseUrl}/${name}:batchEmbedContents`, parts, {
    bodyOf: (texts) => ({ requests: texts.map((text) => ({ model: name, content: { parts: [{ text }] } })) }),
    vectorsIn: ({ embeddings }) => recordsIn(embeddings).map(({ values }) => values),
    tokensIn: () => undefined,
  });
}

type Fields = Readonly<Record<string, unknown>>;

interface EmbeddingApi {
  bodyOf(texts: readonly string[]): Fields;
  vectorsIn(answer: Fields): unknown[];
  tokensIn(answer: Fields): number | undefined;
}

function embeddingModel(
  address: string,
  { headers, send }: Pick<EmbeddingParts, 'headers' | 'send'>,
  { bodyOf, vectorsIn, tokensIn }: EmbeddingApi,
): EmbeddingModel {
  const url = new URL(address);
  const sent = { 'content-type': 'application/json', ...headers };
  return {
    async embed(texts, signal) {
      const response = await send({ url, headers: sent, body: JSON.stringify(bodyOf(texts)), signal });
      const { status, headers: received, body } = response;
      const answer = parseJson(body);
      if (status < 200 || status > 299 || answer === undefined) throw new AnsweredError(status, body, received);
      const fields = recordIn(answer);
      return { vectors: vectorsIn(fields).filter(isVector), inputTokens: tokensIn(fields) };
    },
  };
}

function isVector(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((figure) => typeof figure === 'number');
}
