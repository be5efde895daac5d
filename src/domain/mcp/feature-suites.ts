import * as z from 'zod';
import { lazySchema } from '../../shared/lazy-schema.ts';

/** An empty text is part of every result, so it would expect nothing. */
export const expectedResultSchema = lazySchema(() =>
  z
    .unknown()
    .refine((expected) => expected !== '', 'an empty text is in every result: remove it, or write the whole result')
    .optional(),
);

/** How an expected result is compared: as a whole, or by the parts that an expected object names. */
export const matchSchema = lazySchema(() =>
  z
    .enum(['equal', 'subset'])
    .describe('how a result is compared: as a whole, or by the fields that an expected object names'),
);

/** How many there should be. */
const countSchema = lazySchema(() =>
  z
    .union([
      z.int().min(0),
      z
        .strictObject({
          min: z.int().min(0).optional().describe('smallest number of entries'),
          max: z.int().min(0).optional().describe('largest number of entries'),
          exact: z.int().min(0).optional().describe('exact number of entries'),
        })
        .refine((count) => Object.values(count).some((limit) => limit !== undefined), {
          error: 'this count expects nothing: add `min`, `max` or `exact`',
        }),
    ])
    .describe('expected number of entries in the list'),
);
export type ExpectedCount = z.output<typeof countSchema>;

/** Part of a message that is expected; the content is a text that it contains. */
export const expectedMessageSchema = lazySchema(() =>
  z.strictObject({
    role: z.string().optional().describe('role of the message'),
    content: z.unknown().optional().describe('text that the message contains'),
  }),
);

/** Any value of JSON. */
const anyExpectation = lazySchema(() => z.unknown());

/** Keys of every test except tool tests. */
export const sharedTestKeys = () => ({
  name: z.string().min(1).describe('name of the test'),
  description: z.string().optional().describe('what the test is for'),
  expectedError: z.string().optional().describe('part of the message of the error that is expected'),
  expectError: z.string().optional().describe('another spelling of `expectedError`'),
  maxLatency: z.number().min(0).optional().describe('longest time for a response, in milliseconds'),
  retries: z.int().min(0).max(5).default(0).describe('how often a failed test is retried'),
});

/** Keys of every suite except tool health suites. */
export const sharedSuiteKeys = () => ({
  name: z.string().min(1).describe('name of the suite'),
  description: z.string().optional().describe('what the suite is for'),
  parallel: z.boolean().default(false).describe('run all tests at the same time'),
  timeout: z.number().min(1).optional().describe('time limit for one request, in milliseconds'),
});

/** The error that a test expects, under either of its names. */
export function expectedErrorOf(test: {
  readonly expectedError?: string | undefined;
  readonly expectError?: string | undefined;
}): string | undefined {
  return test.expectedError ?? test.expectError;
}

const nameOrParts = lazySchema(() => z.union([z.string().min(1), z.looseObject({})]));

/** Expected answer to `resources/list`. */
const resourceDiscoveryTestSchema = lazySchema(() =>
  z.strictObject({
    ...sharedTestKeys(),
    expectedCount: countSchema.optional(),
    expectedResources: z
      .array(nameOrParts)
      .optional()
      .describe('addresses or names, or objects with fields that one has'),
  }),
);
export type ResourceDiscoveryTest = z.output<typeof resourceDiscoveryTestSchema>;

/** Expected content of one resource. */
const resourceTestSchema = lazySchema(() =>
  z.strictObject({
    ...sharedTestKeys(),
    uri: z.string().min(1).describe('address of the resource'),
    expectedMimeType: z.string().optional().describe('MIME type that the resource must have'),
    expectedContent: anyExpectation.optional().describe('expected content: a text, several texts, or data'),
    match: matchSchema.optional(),
  }),
);
export type ResourceTest = z.output<typeof resourceTestSchema>;

/** Expected address of a template with its values, and whether the server has that resource. */
const resourceTemplateTestSchema = lazySchema(() =>
  z
    .strictObject({
      ...sharedTestKeys(),
      template: z.string().min(1).optional().describe('URI template of the server, such as `file:///{path}`'),
      templateUri: z.string().min(1).optional().describe('another spelling of `template`'),
      arguments: z.record(z.string(), z.unknown()).optional().describe('values for the variables of the template'),
      parameters: z.record(z.string(), z.unknown()).optional().describe('another spelling of `arguments`'),
      expectedUri: z.string().optional().describe('address that the filled template must give'),
      expectedUriPattern: z.string().optional().describe('regular expression that the address must match'),
      expectedMimeType: z.string().optional().describe('MIME type that the resource must have'),
      expectedContent: anyExpectation.optional().describe('expected content: a text, several texts, or data'),
      match: matchSchema.optional(),
    })
    .refine(({ template, templateUri }) => template !== undefined || templateUri !== undefined, {
      error: '`template` is missing',
    }),
);
export type ResourceTemplateTest = z.output<typeof resourceTemplateTestSchema>;

/** Whether a resource can be subscribed to, and whether it changes. */
const resourceSubscriptionTestSchema = lazySchema(() =>
  z.strictObject({
    ...sharedTestKeys(),
    resourceUri: z.string().min(1).describe('address of the resource'),
    expectUpdates: z
      .boolean()
      .optional()
      .describe('whether an update must arrive within `timeout`; if omitted, only subscribing is tested'),
    timeout: z.number().min(1).optional().describe('milliseconds to wait for an update'),
    trigger: z
      .strictObject({
        tool: z.string().min(1).describe('name of the tool'),
        args: z.record(z.string(), z.unknown()).default({}).describe('arguments of the call'),
      })
      .optional()
      .describe('a tool that changes the resource, called after subscribing'),
  }),
);
export type ResourceSubscriptionTest = z.output<typeof resourceSubscriptionTestSchema>;

/** Values that a server must offer for an argument of a prompt or of a resource template. */
const completionKeys = () => ({
  ...sharedTestKeys(),
  argument: z
    .strictObject({
      name: z.string().min(1).describe('name of the argument'),
      value: z.string().describe('what the user has typed so far'),
    })
    .describe('argument to complete'),
  context: z.record(z.string(), z.string()).optional().describe('values of other arguments'),
  expectedValues: z.array(z.string()).optional().describe('values that must be among the completions'),
  expectedCount: countSchema.optional(),
});
const promptCompletionTestSchema = lazySchema(() =>
  z.strictObject({
    ...completionKeys(),
    promptName: z.string().min(1).describe('name of the prompt'),
  }),
);
const templateCompletionTestSchema = lazySchema(() =>
  z.strictObject({
    ...completionKeys(),
    template: z.string().min(1).describe('URI template of the server, such as `file:///{path}`'),
  }),
);
export type CompletionTest = Partial<
  z.output<typeof promptCompletionTestSchema> & z.output<typeof templateCompletionTestSchema>
> &
  (z.output<typeof promptCompletionTestSchema> | z.output<typeof templateCompletionTestSchema>);

/** Tests of the resources of a server. */
export const resourceSuiteSchema = lazySchema(() =>
  z.strictObject({
    ...sharedSuiteKeys(),
    discoveryTests: z.array(resourceDiscoveryTestSchema).default([]).describe('tests of the list of resources'),
    tests: z.array(resourceTestSchema).default([]).describe('tests that read a resource'),
    resourceTests: z.array(resourceTestSchema).default([]).describe('another spelling of `tests`'),
    templateTests: z.array(resourceTemplateTestSchema).default([]).describe('tests of resource templates'),
    subscriptionTests: z.array(resourceSubscriptionTestSchema).default([]).describe('tests of subscriptions'),
    completionTests: z
      .array(templateCompletionTestSchema)
      .default([])
      .describe('tests of completions for the variables of resource templates'),
  }),
);

const promptArguments = lazySchema(() => z.record(z.string(), z.unknown()));
const oneOrMoreTexts = lazySchema(() => z.union([z.string(), z.array(z.string())]));
/** Names alone, or names with values that are right. */
const namedArguments = lazySchema(() => z.union([z.array(z.string().min(1)), promptArguments]));
const promptName = lazySchema(() =>
  z.string().min(1).optional().describe('name of the prompt; by default the name of the test'),
);

/** Expected answer to `prompts/list`. */
const promptDiscoveryTestSchema = lazySchema(() =>
  z.strictObject({
    ...sharedTestKeys(),
    expectedCount: countSchema.optional(),
    expectedPrompts: z
      .array(z.union([z.string().min(1), z.looseObject({})]))
      .optional()
      .describe('names, or objects with fields that a prompt has'),
  }),
);
export type PromptDiscoveryTest = z.output<typeof promptDiscoveryTestSchema>;

/** Expected messages of a prompt with given arguments. */
const promptTestSchema = lazySchema(() =>
  z.strictObject({
    ...sharedTestKeys(),
    promptName,
    args: promptArguments.optional().describe('arguments of the prompt'),
    arguments: promptArguments.optional().describe('another spelling of `args`'),
    expectedContent: oneOrMoreTexts.optional().describe('texts that the prompt must contain, all of them'),
    expectedMessages: z
      .array(expectedMessageSchema)
      .optional()
      .describe('expected messages in this order; `content` is a text that the message contains'),
    expectedPatterns: z
      .array(z.string())
      .optional()
      .describe('regular expressions that the prompt must match, all of them'),
    validateStructure: z.boolean().optional().describe('whether every message must have a role and content'),
  }),
);
export type PromptTest = z.output<typeof promptTestSchema>;

/** Which arguments a prompt must have, may have and must refuse. */
const promptArgumentTestSchema = lazySchema(() =>
  z.strictObject({
    ...sharedTestKeys(),
    promptName,
    requiredArgs: namedArguments
      .optional()
      .describe('required arguments: without any one of them the prompt must be refused'),
    optionalArgs: namedArguments.optional().describe('optional arguments: without them the prompt must be returned'),
    validArgs: promptArguments.optional().describe('arguments that must be accepted'),
    invalidArgs: z
      .union([promptArguments, z.array(promptArguments)])
      .optional()
      .describe('arguments that must be refused'),
  }),
);
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

const hostileInput = lazySchema(() => z.union([z.string(), promptArguments]));

/** Expected behaviour of a prompt with hostile arguments. */
const promptSecurityTestSchema = lazySchema(() =>
  z
    .strictObject({
      ...sharedTestKeys(),
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
        .describe('whether the values of the input must be changed in the prompt, or must be in it unchanged'),
    })
    .refine(expectsSomething, { error: 'this test expects nothing', params: { hint: sayWhatIsExpected } }),
);
export type PromptSecurityTest = z.output<typeof promptSecurityTestSchema>;

/** Tests of the prompts of a server. */
export const promptSuiteSchema = lazySchema(() =>
  z.strictObject({
    ...sharedSuiteKeys(),
    discoveryTests: z.array(promptDiscoveryTestSchema).default([]).describe('tests of the list of prompts'),
    tests: z.array(promptTestSchema).default([]).describe('tests that get a prompt'),
    promptTests: z.array(promptTestSchema).default([]).describe('another spelling of `tests`'),
    argumentTests: z.array(promptArgumentTestSchema).default([]).describe('tests of required and optional arguments'),
    templateTests: z.array(promptTestSchema).default([]).describe('tests that get a prompt, like `tests`'),
    securityTests: z.array(promptSecurityTestSchema).default([]).describe('tests with hostile arguments'),
    completionTests: z
      .array(promptCompletionTestSchema)
      .default([])
      .describe('tests of completions for the arguments of prompts'),
  }),
);
