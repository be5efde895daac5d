import * as z from 'zod';

/** How an expected result is compared: as a whole, or by the parts that an expected object names. */
export const matchSchema = z.enum(['equal', 'subset']);

/** How many there should be. */
export const countSchema = z.union([
  z.int().min(0),
  z
    .strictObject({
      min: z.int().min(0).optional(),
      max: z.int().min(0).optional(),
      exact: z.int().min(0).optional(),
    })
    .refine((count) => Object.values(count).some((limit) => limit !== undefined), {
      error: 'this count expects nothing: add `min`, `max` or `exact`',
    }),
]);
export type ExpectedCount = z.output<typeof countSchema>;

/** Part of a message that is expected; the content is a text that it contains. */
export const expectedMessageSchema = z.strictObject({
  role: z.string().optional(),
  content: z.unknown().optional(),
});

/** Any value of JSON. */
export const anyExpectation = z.unknown();

/** What every test that is no tool test may say of itself. */
export const sharedTestKeys = {
  name: z.string().min(1),
  description: z.string().optional(),
  expectedError: z.string().optional().describe('part of the message of the error that is expected'),
  expectError: z.string().optional().describe('another spelling of `expectedError`'),
  maxLatency: z.number().min(0).optional().describe('milliseconds'),
  retries: z.int().min(0).max(5).default(0),
};

/** What every suite that is no tool health suite may say of itself. */
export const sharedSuiteKeys = {
  name: z.string().min(1),
  description: z.string().optional(),
  parallel: z.boolean().default(false),
  timeout: z.number().min(1).optional().describe('milliseconds for one request'),
};

/** The error that a test expects, under either of its names. */
export function expectedErrorOf(test: {
  readonly expectedError?: string | undefined;
  readonly expectError?: string | undefined;
}): string | undefined {
  return test.expectedError ?? test.expectError;
}
