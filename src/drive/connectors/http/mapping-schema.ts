import * as z from 'zod';

const path = (what: string) =>
  z.string().startsWith('$', 'a JSONPath begins with `$`').max(4_096).optional().describe(`JSONPath of ${what}`);

const usageSchema = () =>
  z
    .strictObject({
      input: path('the input tokens'),
      output: path('the output tokens'),
      total: path('all tokens'),
    })
    .refine(({ input, output, total }) => [input, output, total].some((place) => place !== undefined), {
      message: 'map at least one of `input`, `output` and `total`',
    });

/** JSONPaths into an answer; the usual shapes need no mapping. */
export const responseSchema = () =>
  z.strictObject({
    text: path('the text of the answer, or of each piece of a streamed answer'),
    messages: path('a list of messages'),
    toolCalls: path('the tools that the agent called'),
    usage: usageSchema().optional().describe('JSONPaths of the token counts; with two of them the third is computed'),
    costUsd: path('the cost of the answer in US dollars'),
    model: path('the model'),
    threadId: path('the id of the conversation at the endpoint; `{{threadId}}` sends it back'),
  });

export type MappingConfig = z.output<ReturnType<typeof responseSchema>>;
