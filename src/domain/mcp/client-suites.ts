import * as z from 'zod';
import { lazySchema } from '../../shared/lazy-schema.ts';
import {
  expectedMessageSchema,
  expectedResultSchema,
  matchSchema,
  sharedSuiteKeys,
  sharedTestKeys,
} from './feature-suites.ts';
import {
  calledTool,
  samplingContentTestSchema,
  samplingSecurityTestSchema,
  samplingWorkflowTestSchema,
} from './sampling-tests.ts';

const expectedOfTool = {
  expectedResult: expectedResultSchema.describe('result that the tool must return'),
  match: matchSchema.optional(),
};

/** Whether the server takes a client that says it can sample, or one that says it cannot. */
const samplingCapabilityTestSchema = lazySchema(() =>
  z.strictObject({
    ...sharedTestKeys(),
    expectedCapability: z.boolean().default(true).describe('whether the client declares support for sampling'),
  }),
);
export type SamplingCapabilityTest = z.output<typeof samplingCapabilityTestSchema>;

/** Expected sampling requests of a server while a tool is called. */
const samplingRequestTestSchema = lazySchema(() =>
  z.strictObject({
    ...sharedTestKeys(),
    ...calledTool,
    ...expectedOfTool,
    messages: z.array(expectedMessageSchema).optional().describe('messages that the server must send'),
    modelPreferences: z.looseObject({}).optional().describe('model preferences that the server must send'),
    systemPrompt: z.string().optional().describe('text that the system prompt of the server contains'),
    maxTokens: z.number().optional().describe('token limit that the server must send'),
    expectUserApproval: z.boolean().optional().describe('whether the server must send the request'),
    tools: z.array(z.string().min(1)).optional().describe('names of tools that the server must offer to the model'),
    simulateToolUse: z
      .strictObject({
        name: z.string().min(1).describe('tool of the request that the model uses'),
        input: z.record(z.string(), z.unknown()).default({}).describe('arguments of the tool'),
      })
      .optional()
      .describe('the first answer of the model uses a tool; the server runs it and sends the next request'),
    simulateUserResponse: z.string().optional().describe('`approve`, `reject`, `modify`, or the text of the answer'),
  }),
);
export type SamplingRequestTest = z.output<typeof samplingRequestTestSchema>;

/** Several calls at once, each of which makes the server ask its client. */
const samplingLoadTestSchema = lazySchema(() =>
  z.strictObject({
    ...sharedTestKeys(),
    ...calledTool,
    concurrentRequests: z.int().min(1).max(100).default(1).describe('calls at the same time'),
    messageSize: z.enum(['small', 'medium', 'large']).optional().describe('of the answer of the model'),
    expectThrottling: z.boolean().optional().describe('only `false` is supported'),
  }),
);
export type SamplingLoadTest = z.output<typeof samplingLoadTestSchema>;

/** Tests of what a server asks of the model of its client. */
export const samplingSuiteSchema = lazySchema(() =>
  z.strictObject({
    ...sharedSuiteKeys(),
    capabilityTests: z.array(samplingCapabilityTestSchema).default([]).describe('tests with and without sampling'),
    requestTests: z.array(samplingRequestTestSchema).default([]).describe('tests of the requests of the server'),
    performanceTests: z.array(samplingLoadTestSchema).default([]).describe('tests with several calls at the same time'),
    securityTests: z
      .array(samplingSecurityTestSchema)
      .default([])
      .describe('tests of refused requests, and of the data that the server sends'),
    contentTests: z.array(samplingContentTestSchema).default([]).describe('tests of types of content in the answer'),
    workflowTests: z.array(samplingWorkflowTestSchema).default([]).describe('tests of several requests in one call'),
  }),
);

/** Expected elicitation requests of a server while a tool is called, with the answers of the user. */
const elicitationRequestTestSchema = lazySchema(() =>
  z.strictObject({
    ...sharedTestKeys(),
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
  }),
);
export type ElicitationRequestTest = z.output<typeof elicitationRequestTestSchema>;

/** Tests of what a server asks of the user of its client. */
export const elicitationSuiteSchema = lazySchema(() =>
  z.strictObject({
    ...sharedSuiteKeys(),
    requestTests: z.array(elicitationRequestTestSchema).default([]).describe('tests of the requests of the server'),
  }),
);
