import * as z from 'zod';
import { anyExpectation, countSchema, matchSchema, sharedSuiteKeys, sharedTestKeys } from './mcp-suite-keys.ts';

const nameOrParts = z.union([z.string().min(1), z.looseObject({})]);

/** What `resources/list` should tell. */
export const resourceDiscoveryTestSchema = z.strictObject({
  ...sharedTestKeys,
  expectedCount: countSchema.optional(),
  expectedResources: z
    .array(nameOrParts)
    .optional()
    .describe('addresses or names, or objects with fields that one has'),
});
export type ResourceDiscoveryTest = z.output<typeof resourceDiscoveryTestSchema>;

/** What reading one resource should give. */
export const resourceTestSchema = z.strictObject({
  ...sharedTestKeys,
  uri: z.string().min(1).describe('address of the resource'),
  expectedMimeType: z.string().optional().describe('MIME type that the resource must have'),
  expectedContent: anyExpectation.optional().describe('expected content: a text, several texts, or data'),
  match: matchSchema.optional(),
});
export type ResourceTest = z.output<typeof resourceTestSchema>;

/** What becomes of a template when it is filled in, and whether the server has what it then names. */
export const resourceTemplateTestSchema = z
  .strictObject({
    ...sharedTestKeys,
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
  });
export type ResourceTemplateTest = z.output<typeof resourceTemplateTestSchema>;

/** Whether a resource can be subscribed to, and whether it changes. */
export const resourceSubscriptionTestSchema = z.strictObject({
  ...sharedTestKeys,
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
});
export type ResourceSubscriptionTest = z.output<typeof resourceSubscriptionTestSchema>;

/** Tests of the resources of a server. */
export const resourceSuiteSchema = z.strictObject({
  ...sharedSuiteKeys,
  discoveryTests: z.array(resourceDiscoveryTestSchema).default([]).describe('tests of the list of resources'),
  tests: z.array(resourceTestSchema).default([]).describe('tests that read a resource'),
  resourceTests: z.array(resourceTestSchema).default([]).describe('another spelling of `tests`'),
  templateTests: z.array(resourceTemplateTestSchema).default([]).describe('tests of resource templates'),
  subscriptionTests: z.array(resourceSubscriptionTestSchema).default([]).describe('tests of subscriptions'),
});
export type ResourceSuite = z.output<typeof resourceSuiteSchema>;
