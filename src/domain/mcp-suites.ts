import * as z from 'zod';
import { toolOrders } from './tool-order.ts';

/** How an expected result is compared: as a whole, or by the parts that an expected object names. */
const matchSchema = z.enum(['equal', 'subset']);

/** One call of one tool, and what should come of it. */
export const toolTestSchema = z.strictObject({
  name: z.string().min(1).describe('of the tool'),
  description: z.string().optional().describe('what the test is called'),
  args: z.record(z.string(), z.unknown()),
  expectedResult: z.unknown().optional().describe('compared with what the result means, not with its envelope'),
  match: matchSchema.optional().describe('`subset`: an expected object need only name some of the fields'),
  expectedError: z.string().optional().describe('part of the message of the error that is expected'),
  maxLatency: z.number().min(0).optional().describe('milliseconds'),
  retries: z.int().min(0).max(5).default(0),
});
export type ToolTest = z.output<typeof toolTestSchema>;

/** Tests of tools that are called directly, one after the other or all at once. */
export const toolHealthSuiteSchema = z.strictObject({
  name: z.string().min(1),
  description: z.string().optional(),
  tests: z.array(toolTestSchema),
  parallel: z.boolean().default(false),
  timeout: z.number().min(1).optional().describe('milliseconds for one call'),
});
export type ToolHealthSuite = z.output<typeof toolHealthSuiteSchema>;

const workflowStepSchema = z.strictObject({
  user: z.string().min(1).describe('what the user asks for'),
  expectTools: z.array(z.string().min(1)).optional(),
  expectedState: z.string().optional().describe('must be in the last message or the last result, whatever the case'),
});

/** What a user asks for step by step, and what a model should do with the tools of the server. */
export const workflowSchema = z.strictObject({
  name: z.string().min(1),
  description: z.string().optional(),
  steps: z.array(workflowStepSchema).min(1),
  expectTools: z.array(z.string().min(1)).optional(),
  order: z.enum(toolOrders).default('prefix'),
  maxSteps: z.int().min(1).max(100).default(5).describe('most requests to the model for one step of the user'),
  system: z.string().optional().describe('added to what the model is told first'),
});
export type Workflow = z.output<typeof workflowSchema>;

/** What the server of a workflow is called, whoever drives it: short, because some agents put it before every tool. */
export const workflowServerName = 'server';
