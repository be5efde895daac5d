import * as z from 'zod';
import { lazySchema } from '../../shared/lazy-schema.ts';
import { toolOrders } from '../tools/tool-order.ts';
import { expectedResultSchema } from './feature-suites.ts';

/** How an expected result is compared: as a whole, or by the parts that an expected object names. */
const matchSchema = z.enum(['equal', 'subset']);

/** Levels of log messages, the least important first. */
export const logLevels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const;

/** One call of one tool, and what should come of it. */
const toolTestSchema = lazySchema(() =>
  z.strictObject({
    name: z.string().min(1).describe('name of the tool'),
    description: z.string().optional().describe('name of the test'),
    args: z.record(z.string(), z.unknown()).describe('arguments of the call'),
    expectedResult: expectedResultSchema.describe(
      'expected result: structured content, JSON or text, without the MCP envelope',
    ),
    match: matchSchema.optional().describe('`subset`: an expected object may leave out fields'),
    expectedError: z.string().optional().describe('part of the message of the error that is expected'),
    maxLatency: z.number().min(0).optional().describe('longest time for a response, in milliseconds'),
    retries: z.int().min(0).max(5).default(0).describe('how often a failed test is retried'),
    task: z
      .boolean()
      .optional()
      .describe('call the tool as a task where the server leaves the choice; tools that need it always are'),
    cancelAfterMs: z
      .number()
      .min(1)
      .optional()
      .describe('cancel the call after this many milliseconds; the server must go on'),
    expectedProgress: z.int().min(1).optional().describe('least number of progress notifications during the call'),
    expectedLog: z.string().min(1).optional().describe('text in a log message that the server sends during the call'),
    logLevel: z
      .enum(logLevels)
      .optional()
      .describe('least level of the log messages that are requested from the server'),
  }),
);
export type ToolTest = z.output<typeof toolTestSchema>;

/** Tests of tools that are called directly, one after the other or all at once. */
export const toolHealthSuiteSchema = lazySchema(() =>
  z.strictObject({
    name: z.string().min(1).describe('name of the suite'),
    description: z.string().optional().describe('what the suite is for'),
    tests: z.array(toolTestSchema).describe('calls of tools with their expected results'),
    parallel: z.boolean().default(false).describe('run all tests at the same time'),
    timeout: z.number().min(1).optional().describe('time limit for one call, in milliseconds'),
  }),
);
export type ToolHealthSuite = z.output<typeof toolHealthSuiteSchema>;

const workflowStepSchema = lazySchema(() =>
  z.strictObject({
    user: z.string().min(1).describe('message of the user'),
    expectTools: z.array(z.string().min(1)).optional().describe('tools that must be called in this step'),
    expectedState: z
      .string()
      .min(1)
      .optional()
      .describe('text that the last message or the last result must contain, ignoring case'),
  }),
);

/** Requests of a user, step by step, and the tool calls that a model should make for them. */
export const workflowSchema = lazySchema(() =>
  z.strictObject({
    name: z.string().min(1).describe('name of the workflow'),
    description: z.string().optional().describe('what the workflow is for'),
    steps: z.array(workflowStepSchema).min(1).describe('messages of the user, in order'),
    expectTools: z.array(z.string().min(1)).optional().describe('tools that must be called in the workflow'),
    order: z.enum(toolOrders).default('prefix').describe('how the order of the tool calls is compared'),
    maxSteps: z.int().min(1).max(100).default(5).describe('most model requests for one user step'),
    system: z.string().optional().describe('added to the system prompt of the model'),
  }),
);
export type Workflow = z.output<typeof workflowSchema>;
