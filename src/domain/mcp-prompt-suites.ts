import * as z from 'zod';
import { countSchema, expectedMessageSchema, sharedSuiteKeys, sharedTestKeys } from './mcp-suite-keys.ts';

const promptArguments = z.record(z.string(), z.unknown());
const oneOrMoreTexts = z.union([z.string(), z.array(z.string())]);
/** Names alone, or names with values that are right. */
const namedArguments = z.union([z.array(z.string().min(1)), promptArguments]);
const promptName = z.string().min(1).optional().describe('without it, the name of the test is that of the prompt');

/** What `prompts/list` should tell. */
export const promptDiscoveryTestSchema = z.strictObject({
  ...sharedTestKeys,
  expectedCount: countSchema.optional(),
  expectedPrompts: z
    .array(z.union([z.string().min(1), z.looseObject({})]))
    .optional()
    .describe('names, or objects with fields that a prompt has'),
});
export type PromptDiscoveryTest = z.output<typeof promptDiscoveryTestSchema>;

/** What a prompt should become with some arguments. */
export const promptTestSchema = z.strictObject({
  ...sharedTestKeys,
  promptName,
  args: promptArguments.optional().describe('arguments of the prompt'),
  arguments: promptArguments.optional().describe('another spelling of `args`'),
  expectedContent: oneOrMoreTexts.optional().describe('texts that must all be in it'),
  expectedMessages: z
    .array(expectedMessageSchema)
    .optional()
    .describe('in this order; the content is a text that the message contains'),
  expectedPatterns: z.array(z.string()).optional().describe('regular expressions that must all be found'),
  validateStructure: z.boolean().optional().describe('whether every message must have a role and content'),
});
export type PromptTest = z.output<typeof promptTestSchema>;

/** Which arguments a prompt must have, may have and must refuse. */
export const promptArgumentTestSchema = z.strictObject({
  ...sharedTestKeys,
  promptName,
  requiredArgs: namedArguments.optional().describe('without any one of them it must be refused'),
  optionalArgs: namedArguments.optional().describe('without them it must work'),
  validArgs: promptArguments.optional().describe('must be accepted'),
  invalidArgs: z
    .union([promptArguments, z.array(promptArguments)])
    .optional()
    .describe('must be refused'),
});
export type PromptArgumentTest = z.output<typeof promptArgumentTestSchema>;

const sayWhatIsExpected = 'Add `expectRejection: true` (or `false`) or `sanitizationTests`.';

/** Hostile inputs that may be refused or answered would pass whatever the prompt does with them. */
function expectsSomething(test: {
  readonly expectRejection?: boolean | undefined;
  readonly sanitizationTests?: readonly unknown[] | undefined;
  readonly maliciousInputs?: readonly unknown[] | undefined;
  readonly injectionAttempts?: readonly unknown[] | undefined;
}): boolean {
  const inputCount = [...(test.maliciousInputs ?? []), ...(test.injectionAttempts ?? [])].length;
  if ((test.sanitizationTests ?? []).length > 0) return inputCount === 0 || test.expectRejection !== undefined;
  return inputCount > 0 && test.expectRejection !== undefined;
}

const hostileInput = z.union([z.string(), promptArguments]);

/** What a prompt does with hostile arguments. */
export const promptSecurityTestSchema = z
  .strictObject({
    ...sharedTestKeys,
    promptName,
    maliciousInputs: z.array(hostileInput).optional().describe('texts for every argument, or arguments'),
    injectionAttempts: z.array(hostileInput).optional().describe('another spelling of `maliciousInputs`'),
    expectRejection: z.boolean().optional().describe('true: refused; false: answered'),
    sanitizationTests: z
      .array(
        z.strictObject({
          input: promptArguments.describe('arguments of the prompt'),
          expectedSanitization: z.boolean().describe('true: the values must not be in the prompt unchanged'),
        }),
      )
      .optional()
      .describe('whether a value of the input must not, or must, be in the prompt as it is'),
  })
  .refine(expectsSomething, { error: 'this test expects nothing', params: { hint: sayWhatIsExpected } });
export type PromptSecurityTest = z.output<typeof promptSecurityTestSchema>;

/** Tests of the prompts of a server. */
export const promptSuiteSchema = z.strictObject({
  ...sharedSuiteKeys,
  discoveryTests: z.array(promptDiscoveryTestSchema).default([]).describe('tests of the list of prompts'),
  tests: z.array(promptTestSchema).default([]).describe('tests that get a prompt'),
  promptTests: z.array(promptTestSchema).default([]).describe('another spelling of `tests`'),
  argumentTests: z.array(promptArgumentTestSchema).default([]).describe('tests of required and optional arguments'),
  templateTests: z.array(promptTestSchema).default([]).describe('tests that get a prompt, like `tests`'),
  securityTests: z.array(promptSecurityTestSchema).default([]).describe('tests with hostile arguments'),
});
export type PromptSuite = z.output<typeof promptSuiteSchema>;
