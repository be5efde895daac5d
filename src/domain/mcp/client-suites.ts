import * as z from 'zod';
import { expectedMessageSchema, matchSchema, sharedSuiteKeys, sharedTestKeys } from './feature-suites.ts';

const calledTool = {
  tool: z.string().min(1).optional().describe('tool whose call makes the server send a request to its client'),
  args: z.record(z.string(), z.unknown()).default({}).describe('arguments of the call'),
};
const expectedOfTool = {
  expectedResult: z.unknown().optional().describe('result that the tool must return'),
  match: matchSchema.optional(),
};

/** Whether the server takes a client that says it can sample, or one that says it cannot. */
const samplingCapabilityTestSchema = z.strictObject({
  ...sharedTestKeys,
  expectedCapability: z.boolean().default(true).describe('whether the client declares support for sampling'),
});
export type SamplingCapabilityTest = z.output<typeof samplingCapabilityTestSchema>;

/** Expected sampling requests of a server while a tool is called. */
const samplingRequestTestSchema = z.strictObject({
  ...sharedTestKeys,
  ...calledTool,
  ...expectedOfTool,
  messages: z.array(expectedMessageSchema).optional().describe('messages that the server must send'),
  modelPreferences: z.looseObject({}).optional().describe('model preferences that the server must send'),
  systemPrompt: z.string().optional().describe('text that the system prompt of the server contains'),
  maxTokens: z.number().optional().describe('token limit that the server must send'),
  expectUserApproval: z.boolean().optional().describe('whether the server must send the request'),
  simulateUserResponse: z.string().optional().describe('`approve`, `reject`, `modify`, or the text of the answer'),
});
export type SamplingRequestTest = z.output<typeof samplingRequestTestSchema>;

/** Several calls at once, each of which makes the server ask its client. */
const samplingLoadTestSchema = z.strictObject({
  ...sharedTestKeys,
  ...calledTool,
  concurrentRequests: z.int().min(1).max(100).default(1).describe('calls at the same time'),
  messageSize: z.enum(['small', 'medium', 'large']).optional().describe('of the answer of the model'),
  expectThrottling: z.boolean().optional().describe('only `false` is supported'),
});
export type SamplingLoadTest = z.output<typeof samplingLoadTestSchema>;

/** Tests that cannot check a server from its client: they are reported by name and never pass. */
const foreignTestSchema = z.looseObject({
  name: z.string().min(1).describe('name of the test'),
  description: z.string().optional().describe('what the test is for'),
});
export type ForeignTest = z.output<typeof foreignTestSchema>;

/** Tests of what a server asks of the model of its client. */
export const samplingSuiteSchema = z.strictObject({
  ...sharedSuiteKeys,
  capabilityTests: z.array(samplingCapabilityTestSchema).default([]).describe('tests with and without sampling'),
  requestTests: z.array(samplingRequestTestSchema).default([]).describe('tests of the requests of the server'),
  performanceTests: z.array(samplingLoadTestSchema).default([]).describe('tests with several calls at the same time'),
  securityTests: z.array(foreignTestSchema).default([]).describe('tests of clients; reported as unsupported'),
  contentTests: z.array(foreignTestSchema).default([]).describe('tests of clients; reported as unsupported'),
  workflowTests: z.array(foreignTestSchema).default([]).describe('tests of clients; reported as unsupported'),
});
export type SamplingSuite = z.output<typeof samplingSuiteSchema>;

/** Expected elicitation requests of a server while a tool is called, with the answers of the user. */
const elicitationRequestTestSchema = z.strictObject({
  ...sharedTestKeys,
  ...calledTool,
  ...expectedOfTool,
  tool: z.string().min(1).describe('tool whose call makes the server send a request to the user'),
  respond: z
    .strictObject({
      action: z.enum(['accept', 'decline', 'cancel']).describe('what the user does'),
      content: z.record(z.string(), z.unknown()).optional().describe('values that the user enters'),
    })
    .describe('answer of the user'),
  expectedRequest: z
    .union([z.string(), z.looseObject({})])
    .optional()
    .describe('a text in the message, or some fields of the request'),
});
export type ElicitationRequestTest = z.output<typeof elicitationRequestTestSchema>;

/** Tests of what a server asks of the user of its client. */
export const elicitationSuiteSchema = z.strictObject({
  ...sharedSuiteKeys,
  requestTests: z.array(elicitationRequestTestSchema).default([]).describe('tests of the requests of the server'),
});
