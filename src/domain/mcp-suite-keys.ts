import * as z from 'zod';

/** How an expected result is compared: as a whole, or by the parts that an expected object names. */
export const matchSchema = z
  .enum(['equal', 'subset'])
  .describe('how a result is compared: as a whole, or by the fields that an expected object names');

/** How many there should be. */
export const countSchema = z
  .union([
    z.int().min(0),
    z
      .strictObject({
        min: z.int().min(0).optional().describe('at least this many'),
        max: z.int().min(0).optional().describe('at most this many'),
        exact: z.int().min(0).optional().describe('exactly this many'),
      })
      .refine((count) => Object.values(count).some((limit) => limit !== undefined), {
        error: 'this count expects nothing: add `min`, `max` or `exact`',
      }),
  ])
  .describe('expected number of entries in the list');
export type ExpectedCount = z.output<typeof countSchema>;

/** Part of a message that is expected; the content is a text that it contains. */
export const expectedMessageSchema = z.strictObject({
  role: z.string().optional().describe('role of the message'),
  content: z.unknown().optional().describe('text that the message contains'),
});

/** Any value of JSON. */
export const anyExpectation = z.unknown();

/** What every test that is no tool test may say of itself. */
export const sharedTestKeys = {
  name: z.string().min(1).describe('name of the test'),
  description: z.string().optional().describe('what the test is for'),
  expectedError: z.string().optional().describe('part of the message of the error that is expected'),
  expectError: z.string().optional().describe('another spelling of `expectedError`'),
  maxLatency: z.number().min(0).optional().describe('longest time for a response, in milliseconds'),
  retries: z.int().min(0).max(5).default(0).describe('how often a failed test is tried again'),
};

/** What every suite that is no tool health suite may say of itself. */
export const sharedSuiteKeys = {
  name: z.string().min(1).describe('name of the suite'),
  description: z.string().optional().describe('what the suite is for'),
  parallel: z.boolean().default(false).describe('run all tests at the same time'),
  timeout: z.number().min(1).optional().describe('time limit for one request, in milliseconds'),
};

/** The error that a test expects, under either of its names. */
export function expectedErrorOf(test: {
  readonly expectedError?: string | undefined;
  readonly expectError?: string | undefined;
}): string | undefined {
  return test.expectedError ?? test.expectError;
}
