import * as z from 'zod';
import type { SuiteTestKind } from '../mcp-findings.ts';
import { coverageWarnings, type OfferedTool, type ToolCoverage, toolCoverage } from '../tools/tool-coverage.ts';
import type { TraceEventOf } from '../trace.ts';
import {
  type ElicitationRequestTest,
  elicitationSuiteSchema,
  type SamplingCapabilityTest,
  type SamplingLoadTest,
  type SamplingRequestTest,
  type SamplingSuite,
  samplingSuiteSchema,
} from './client-suites.ts';
import {
  type CompletionTest,
  type PromptArgumentTest,
  type PromptDiscoveryTest,
  type PromptSecurityTest,
  type PromptSuite,
  type PromptTest,
  promptSuiteSchema,
  type ResourceDiscoveryTest,
  type ResourceSubscriptionTest,
  type ResourceSuite,
  type ResourceTemplateTest,
  type ResourceTest,
  resourceSuiteSchema,
} from './feature-suites.ts';
import { type OAuthTest, oauth2SuiteSchema, oauthTests } from './oauth-suites.ts';
import type { SamplingContentTest, SamplingSecurityTest, SamplingWorkflowTest } from './sampling-tests.ts';
import { type ToolTest, toolHealthSuiteSchema } from './suites.ts';

const toolUses = z.array(z.object({ tool: z.string(), args: z.array(z.string()) }));

/** Input of a trial of a suite: the suite and its kind. */
export const suiteInputSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('tool'),
    suite: toolHealthSuiteSchema,
    coveredElsewhere: toolUses.default([]).describe('what other suites of the same file call'),
    reportsCoverage: z.boolean().default(true).describe('false where another suite of the same file does'),
  }),
  z.object({ kind: z.literal('resource'), suite: resourceSuiteSchema }),
  z.object({ kind: z.literal('prompt'), suite: promptSuiteSchema }),
  z.object({ kind: z.literal('sampling'), suite: samplingSuiteSchema }),
  z.object({ kind: z.literal('elicitation'), suite: elicitationSuiteSchema }),
  z.object({ kind: z.literal('oauth2'), suite: oauth2SuiteSchema }),
]);
export type SuiteInput = z.output<typeof suiteInputSchema>;

const readInputs = new WeakMap<object, SuiteInput>();

/** Reads the input of a trial; the same object, which is driven and then scored, is read once. */
export function readSuiteInput(value: unknown): z.ZodSafeParseResult<SuiteInput> {
  const isObject = typeof value === 'object' && value !== null;
  const earlier = isObject ? readInputs.get(value) : undefined;
  if (earlier) return { success: true, data: earlier };
  const read = suiteInputSchema.safeParse(value);
  if (isObject && read.success) readInputs.set(value, read.data);
  return read;
}

/** An input that was made of a checked suite, so it need not be checked again. */
export function checkedSuiteInput(input: SuiteInput): SuiteInput {
  readInputs.set(input, input);
  return input;
}

interface FormOf<Form extends string, Spec> {
  /** Decides which request the test makes. */
  readonly form: Form;
  readonly spec: Spec;
}

/** A test with the settings from its file. */
type TestForm =
  | FormOf<'tool', ToolTest>
  | FormOf<'resource-list', ResourceDiscoveryTest>
  | FormOf<'resource-read', ResourceTest>
  | FormOf<'resource-template', ResourceTemplateTest>
  | FormOf<'resource-subscription', ResourceSubscriptionTest>
  | FormOf<'completion', CompletionTest>
  | FormOf<'prompt-list', PromptDiscoveryTest>
  | FormOf<'prompt-get', PromptTest>
  | FormOf<'prompt-arguments', PromptArgumentTest>
  | FormOf<'prompt-security', PromptSecurityTest>
  | FormOf<'sampling-capability', SamplingCapabilityTest>
  | FormOf<'sampling-request', SamplingRequestTest>
  | FormOf<'sampling-load', SamplingLoadTest>
  | FormOf<'sampling-security', SamplingSecurityTest>
  | FormOf<'sampling-content', SamplingContentTest>
  | FormOf<'sampling-workflow', SamplingWorkflowTest>
  | FormOf<'elicitation-request', ElicitationRequestTest>
  | FormOf<'oauth', OAuthForm>;

/** A test of authorization, which is about no request of the protocol. */
interface OAuthForm {
  readonly name: string;
  readonly description?: string | undefined;
  readonly test: OAuthTest;
}

/** One test of a suite, whatever list it stands in. */
export type SuiteTest = TestForm & {
  /** Among all tests of the suite, from 0. */
  readonly index: number;
  readonly kind: SuiteTestKind;
  readonly name: string;
  /** The tool, resource, prompt or capability that it is about. */
  readonly subject: string;
  /** Why it cannot be done, where it cannot. */
  readonly unsupported: string | undefined;
};

/** A test of one form. */
export type SuiteTestOf<Form extends TestForm['form']> = Extract<SuiteTest, { form: Form }>;

/** The id of one call that is made for a test; attempts count from 1. */
export function testCallId(testIndex: number, attempt: number): string {
  return `test-${testIndex + 1}-${attempt}`;
}

/** Which test a call was made for; undefined for other calls. */
export function testOfCall(callId: string): number | undefined {
  const [, number] = /^test-(\d+)-\d+$/.exec(callId) ?? [];
  return number === undefined ? undefined : Number(number) - 1;
}

type Draft = TestForm & { readonly subject: string; readonly unsupported?: string | undefined };

/** All tests of a suite in the order in which they are done. */
export function suiteTests(input: SuiteInput): SuiteTest[] {
  const { kind } = input;
  return drafts(input).map((draft, index) => ({
    ...draft,
    index,
    kind,
    name: nameOf(draft),
    unsupported: draft.unsupported,
  }));
}

function nameOf({ form, spec }: Draft): string {
  return spec.description ?? (form === 'tool' ? `${spec.name} test` : spec.name);
}

function drafts(input: SuiteInput): Draft[] {
  switch (input.kind) {
    case 'tool':
      return input.suite.tests.map((spec) => ({ form: 'tool', spec, subject: spec.name }));
    case 'resource':
      return resourceTests(input.suite);
    case 'prompt':
      return promptTests(input.suite);
    case 'sampling':
      return samplingTests(input.suite);
    case 'elicitation':
      return each('elicitation-request', input.suite.requestTests, ({ tool }) => tool);
    case 'oauth2':
      return oauthTests(input.suite).map(({ test, unsupported }) => {
        const { name, description } = test.spec;
        return { form: 'oauth', spec: { name, description, test }, subject: test.kind, unsupported };
      });
  }
}

function resourceTests(suite: ResourceSuite): Draft[] {
  return [
    ...each('resource-list', suite.discoveryTests, () => 'resources/list'),
    ...each('resource-read', [...suite.tests, ...suite.resourceTests], ({ uri }) => uri),
    ...each('resource-template', suite.templateTests, templateOf),
    ...each('resource-subscription', suite.subscriptionTests, (spec) => spec.resourceUri),
    ...each('completion', suite.completionTests, ({ template }) => template),
  ];
}

/** The template of a test, under either of its names. */
export function templateOf({ template, templateUri }: ResourceTemplateTest): string {
  return template ?? templateUri ?? '';
}

function promptTests(suite: PromptSuite): Draft[] {
  const gets = [...suite.tests, ...suite.promptTests, ...suite.templateTests];
  return [
    ...each('prompt-list', suite.discoveryTests, () => 'prompts/list'),
    ...each('prompt-get', gets, promptOf),
    ...each('prompt-arguments', suite.argumentTests, promptOf),
    ...each('prompt-security', suite.securityTests, promptOf),
    ...each('completion', suite.completionTests, ({ promptName }) => promptName),
  ];
}

function promptOf({ promptName, name }: Pick<PromptTest, 'promptName' | 'name'>): string {
  return promptName ?? name;
}

const needsTool = 'name the `tool` (and its `args`) whose call makes the server send the request';

function samplingTests(suite: SamplingSuite): Draft[] {
  const subjectOf = ({ tool }: Pick<SamplingRequestTest, 'tool'>): string => tool ?? 'sampling';
  return [
    ...each('sampling-capability', suite.capabilityTests, () => 'sampling'),
    ...each('sampling-request', suite.requestTests, subjectOf).map((draft) =>
      draft.spec.tool === undefined ? { ...draft, unsupported: needsTool } : draft,
    ),
    ...suite.performanceTests.map(loadTest),
    ...each('sampling-security', suite.securityTests, subjectOf).map((draft) => {
      const { unauthorizedRequests, sensitiveDataTests, privacyTests } = draft.spec;
      const parts = unauthorizedRequests.length + sensitiveDataTests.length + privacyTests.length;
      return withParts(draft, parts, 'unauthorizedRequests`, `sensitiveDataTests` or `privacyTests');
    }),
    ...each('sampling-content', suite.contentTests, subjectOf).map((draft) =>
      withParts(draft, draft.spec.testCases.length, 'testCases'),
    ),
    ...each('sampling-workflow', suite.workflowTests, subjectOf).map((draft) =>
      withParts(draft, draft.spec.steps.length, 'steps'),
    ),
  ];
}

function loadTest(spec: SamplingLoadTest): Draft {
  const unsupported =
    spec.expectThrottling === true ? '`expectThrottling: true`' : spec.tool === undefined ? needsTool : undefined;
  return { form: 'sampling-load', spec, subject: spec.tool ?? 'sampling', unsupported };
}

/** A test without parts observes nothing, and one without a tool gives the server no occasion. */
function withParts<Test extends { readonly spec: { readonly tool?: string | undefined } }>(
  draft: Test,
  parts: number,
  keys: string,
): Test & { readonly unsupported?: string } {
  if (draft.spec.tool === undefined) return { ...draft, unsupported: needsTool };
  return parts === 0 ? { ...draft, unsupported: `it has no \`${keys}\`` } : draft;
}

function each<Form extends string, Spec extends object>(
  form: Form,
  specs: readonly Spec[],
  subjectOf: (spec: Spec) => string,
) {
  return specs.map((spec) => ({
    form,
    spec,
    subject: subjectOf(spec),
  }));
}

/** Coverage of the server's tools by the tests of a suite, with warnings for its author. */
interface SuiteCoverage {
  /** Undefined where another suite of the same file reports it. */
  readonly coverage: ToolCoverage | undefined;
  readonly warnings: readonly string[];
}

/** The coverage of a suite of tools, together with what other suites of its file use; undefined for other suites. */
export function suiteCoverage(
  input: SuiteInput,
  tools: TraceEventOf<'mcp-server'>['tools'],
): SuiteCoverage | undefined {
  if (input.kind !== 'tool') return undefined;
  const offered: OfferedTool[] = tools.map(({ name, arguments: names = [] }) => ({ name, arguments: names }));
  const own = input.suite.tests.map(({ name, args }) => ({ tool: name, args: Object.keys(args) }));
  const { unknownTools } = toolCoverage(offered, own);
  const whole = { ...toolCoverage(offered, [...own, ...input.coveredElsewhere]), unknownTools };
  if (input.reportsCoverage) return { coverage: whole, warnings: coverageWarnings(whole, offered) };
  const unknownOnly = { ...whole, uncoveredTools: [], uncoveredArguments: {} };
  return { coverage: undefined, warnings: coverageWarnings(unknownOnly, offered) };
}
