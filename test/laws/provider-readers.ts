import type { ConnectorKind } from '../../src/drive/connectors/connector.ts';
import { modelConnector } from '../../src/drive/connectors/model.ts';
import {
  anthropicConnector,
  openaiChatConnector,
  openaiResponsesConnector,
} from '../../src/drive/connectors/providers.ts';
import { modelsConfigSchema } from '../../src/drive/models/models-config.ts';
import { openModels } from '../../src/drive/models/open-models.ts';
import { redactionOf } from '../../src/shared/redaction/redaction.ts';
import { skippingClock } from '../../src/testing/support/models.ts';
import { type WireSample, wireCorpus } from '../../src/testing/support/wire-corpus.ts';
import type { Reader } from './reader.ts';
import { asServerSentEvents, type SpokenDocument, spokenReader } from './spoken-reader.ts';

const samplesOf = (api: string, isStream: boolean): WireSample[] =>
  wireCorpus.filter((sample) => sample.codec.name === api && sample.isStream === isStream);

function documentOf({ name, content }: WireSample, config: object): SpokenDocument {
  return { name, text: JSON.stringify(content), config };
}

/** The events of a stream stand on a line each, to be dropped, doubled and moved like those of any other stream. */
function streamOf({ name, content }: WireSample): SpokenDocument {
  return {
    name: `${name}, streamed`,
    text: `${(content as unknown[]).map((event) => JSON.stringify(event)).join('\n')}\n`,
    config: { model: 'm', stream: true },
    contentType: 'text/event-stream',
    bodyOf: asServerSentEvents,
  };
}

/** Replies of a provider, through the connector that speaks its API. */
function connectorReaders(api: string, kind: ConnectorKind): Reader[] {
  return [
    spokenReader({
      name: api,
      kind,
      documents: samplesOf(api, false).map((sample) => documentOf(sample, { model: 'm' })),
    }),
    spokenReader({ name: `${api}, streamed`, kind, documents: samplesOf(api, true).map(streamOf) }),
  ];
}

/** Replies of a provider, through the models of a run; each reading has its own, which remember no failures. */
function modelReader(api: string, model: string, variablesAt: (url: string) => Record<string, string>): Reader {
  return spokenReader({
    name: `models/${api}`,
    kind: modelConnector,
    documents: samplesOf(api, false).map((sample) => documentOf(sample, { model })),
    contextAt(url) {
      const config = modelsConfigSchema.parse({});
      const redact = redactionOf([]);
      const models = openModels({ config, env: variablesAt(url), clock: skippingClock(), random: () => 0, redact });
      return { models: async () => models, [Symbol.asyncDispose]: () => models[Symbol.asyncDispose]() };
    },
  });
}

/** Readers of the replies of model providers. */
export const providerReaders: readonly Reader[] = [
  ...connectorReaders('openai-chat', openaiChatConnector),
  ...connectorReaders('anthropic-messages', anthropicConnector),
  ...connectorReaders('openai-responses', openaiResponsesConnector),
  modelReader('openai-chat', 'openai/gpt-4o', (url) => ({ OPENAI_BASE_URL: url, OPENAI_API_KEY: 'k' })),
  modelReader('openai-responses', 'openai-responses/gpt-5', (url) => ({ OPENAI_BASE_URL: url, OPENAI_API_KEY: 'k' })),
  modelReader('anthropic-messages', 'anthropic/claude-x', (url) => ({
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: 'k',
  })),
  modelReader('gemini', 'google/gemini-2.5-pro', (url) => ({ GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: 'k' })),
  modelReader('bedrock-converse', 'bedrock/amazon.nova-pro-v1:0', (url) => ({
    AWS_ENDPOINT_URL_BEDROCK_RUNTIME: url,
    AWS_BEARER_TOKEN_BEDROCK: 'k',
    AWS_REGION: 'us-east-1',
  })),
];
