import * as z from 'zod';
import { expectedMessageSchema } from './feature-suites.ts';

/** The call that gives a server the occasion to send a request to its client. */
export const calledTool = {
  tool: z.string().min(1).optional().describe('tool whose call makes the server send a request to its client'),
  args: z.record(z.string(), z.unknown()).default({}).describe('arguments of the call'),
};

const named = {
  name: z.string().min(1).describe('name of the test'),
  description: z.string().optional().describe('what the test is for'),
};

/** A test of how a server takes a refusal, and of the data that it sends to the model of its client. */
export const samplingSecurityTestSchema = z.strictObject({
  ...named,
  ...calledTool,
  unauthorizedRequests: z
    .array(
      z.strictObject({
        messages: z.array(expectedMessageSchema).default([]).describe('messages by which the request is recognised'),
        expectRejection: z
          .boolean()
          .default(true)
          .describe('true: the client refuses the request, and the server must not send it again'),
      }),
    )
    .default([])
    .describe('requests that the client refuses'),
  sensitiveDataTests: z
    .array(
      z.strictObject({
        input: z.string().min(1).describe('sensitive text; it replaces `{{input}}` in `args`'),
        expectFiltering: z
          .boolean()
          .default(true)
          .describe('whether the text must be missing in the requests of the server'),
      }),
    )
    .default([])
    .describe('sensitive texts that the server is given'),
  privacyTests: z
    .array(
      z.strictObject({
        description: z.string().optional().describe('what the test is for'),
        includePersonalData: z
          .boolean()
          .default(true)
          .describe('whether a made-up name, address and number replace `{{input}}` in `args`'),
        expectDataProtection: z
          .boolean()
          .default(true)
          .describe('whether they must be missing in the requests of the server'),
      }),
    )
    .default([])
    .describe('personal data that the server is given'),
});
export type SamplingSecurityTest = z.output<typeof samplingSecurityTestSchema>;

/** A test of how a server handles types of content in the answer of the model. */
export const samplingContentTestSchema = z.strictObject({
  ...named,
  ...calledTool,
  testCases: z
    .array(
      z.strictObject({
        contentType: z.string().min(1).describe('`text`, `image` or `audio`, or a MIME type of one of them'),
        input: z.string().describe('the text, or the data as Base64, that the model answers with'),
        expectedHandling: z
          .enum(['accept', 'reject', 'convert'])
          .describe('the tool returns a result, an error, or a result that contains `expectedResponse`'),
        expectedResponse: z.string().optional().describe('text in the result of the tool'),
      }),
    )
    .default([])
    .describe('answers of the model'),
});
export type SamplingContentTest = z.output<typeof samplingContentTestSchema>;

/** Several requests of a server in one call, and what it does after each answer. */
export const samplingWorkflowTestSchema = z.strictObject({
  ...named,
  ...calledTool,
  steps: z
    .array(
      z.strictObject({
        stepType: z.string().optional().describe('kind of step, for readers'),
        action: z.string().optional().describe('what happens, for readers'),
        userResponse: z
          .string()
          .optional()
          .describe('answers the request that the server has sent: `approve`, `reject`, or the text of the answer'),
        expectedOutcome: z
          .string()
          .optional()
          .describe('text in what the server sends then: its next request, or the answer of the tool'),
        timeoutMs: z.number().positive().optional().describe('most milliseconds until the server sends it'),
      }),
    )
    .default([])
    .describe('steps in order'),
  expectSuccess: z.boolean().default(true).describe('whether the tool returns a result in the end, and not an error'),
});
export type SamplingWorkflowTest = z.output<typeof samplingWorkflowTestSchema>;
