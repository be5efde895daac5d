import * as z from 'zod';

/** What a connector to a model's own API takes; the API itself is chosen by the type of the connector. */
export const providerConfigSchema = () =>
  z.strictObject({
    model: z.string().min(1).optional().describe('the model to ask; a variant with a model of its own goes before it'),
    instructions: z.string().optional().describe('the system prompt of the agent'),
    system: z.string().optional().describe('another name for `instructions`'),
    tools: z
      .array(z.record(z.string(), z.unknown()))
      .optional()
      .describe('tools that the agent may ask for, as this API writes them; they are not run'),
    temperature: z.number().min(0).max(2).optional().describe('sampling temperature of the model'),
    maxTokens: z.int().min(1).optional().describe('most tokens of an answer'),
    stream: z.boolean().default(false).describe('have the answer in pieces, to measure the time to the first token'),
    body: z
      .record(z.string(), z.unknown())
      .default({})
      .describe('further fields of the request, as this API names them'),
  });
export type ProviderConfig = z.output<ReturnType<typeof providerConfigSchema>>;
