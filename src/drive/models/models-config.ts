import * as z from 'zod';

const providerSchema = z.strictObject({
  baseUrl: z
    .string()
    .min(1)
    .optional()
    .describe('base URL of the provider; required for your own provider, such as http://localhost:11434/v1'),
  apiKey: z.string().optional().describe('API key; use ${VAR} instead of the key itself'),
  headers: z.record(z.string(), z.string()).default({}).describe('sent with every request; ${VAR} is expanded'),
  api: z.enum(['chat', 'responses']).default('chat').describe('OpenAI API to use'),
  structuredOutputs: z
    .boolean()
    .default(true)
    .describe('whether an OpenAI-compatible server accepts a JSON Schema for its output'),
  images: z
    .boolean()
    .default(true)
    .describe('whether its models take images and PDF documents; with `false` nothing is sent to them with one'),
  concurrency: z.int().min(1).max(1_000).default(32).describe('requests that run at the same time'),
  requestsPerMinute: z.number().positive().optional().describe('limit of requests per minute, spread evenly'),
  timeoutSecs: z
    .number()
    .positive()
    .max(86_400)
    .default(120)
    .describe('time limit of one call in seconds, retries and waits included'),
});

const usd = z.number().min(0);

const modelName = z.string().min(1);

const priceSchema = z.strictObject({
  inputPer1M: usd.describe('USD for a million tokens of input'),
  outputPer1M: usd.describe('USD for a million tokens of output'),
  cachedInputPer1M: usd.optional().describe('USD for a million tokens that the provider had cached'),
  cacheWritePer1M: usd.optional().describe('USD for a million tokens that are written to the cache of the provider'),
});

/** `models:` of the project's config. */
export const modelsConfigSchema = z.strictObject({
  providers: z
    .record(z.string().regex(/^[A-Za-z0-9][\w.-]*$/, 'a name of letters, digits, `.`, `_` and `-`'), providerSchema)
    .default({})
    .describe('settings of the known providers, and OpenAI-compatible servers under names of your own'),
  prices: z
    .record(z.string().min(1), priceSchema)
    .default({})
    .describe('prices that differ from the bundled table, by `provider/model` or by the name of the model'),
  judge: z
    .union([modelName, z.array(modelName).min(1)])
    .optional()
    .describe('judge model, unless `judge.model` names one; several models vote'),
  persona: modelName
    .optional()
    .describe('model that plays personas without their own `model`; by default the judge model'),
  embedding: modelName
    .optional()
    .describe('model that makes the embeddings of `embedding-similarity`, such as openai/text-embedding-3-small'),
  workflow: modelName
    .optional()
    .describe('model that drives workflows of MCP servers whose file names neither a model nor an agent'),
});

export type ModelsConfig = z.output<typeof modelsConfigSchema>;
export type ProviderConfig = z.output<typeof providerSchema>;
export type PriceConfig = z.output<typeof priceSchema>;

/** The settings of a provider that the config does not mention. */
export const defaultProviderConfig: ProviderConfig = providerSchema.parse({});
