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
  samplingSuiteSchema,
} from './client-suites.ts';
import {
  type CompletionTest,
  type PromptArgumentTest,
  type PromptDiscoveryTest,
  type PromptSecurityTest,
  type PromptTest,
  promptSuiteSchema,
  type ResourceDiscoveryTest,
  type ResourceSubscriptionTest,
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

/** The settings of each form of test, which decides the requests that it makes. */
interface TestSpecs {
  tool: ToolTest;
  'resource-list': ResourceDiscoveryTest;
  'resource-read': ResourceTest;
  'resource-template': ResourceTemplateTest;
  'resource-subscription': ResourceSubscriptionTest;
  completion: CompletionTest;
  'prompt-list': PromptDiscoveryTest;
  'prompt-get': PromptTest;
  'prompt-arguments': PromptArgumentTest;
  'prompt-security': PromptSecurityTest;
  'sampling-capability': SamplingCapabilityTest;
  'sampling-request': SamplingRequestTest;
  'sampling-load': SamplingLoadTest;
  'sampling-security': SamplingSecurityTest;
  'sampling-content': SamplingContentTest;
  'sampling-workflow': SamplingWorkflowTest;
  'elicitation-request': ElicitationRequestTest;
  oauth: OAuthForm;
}
type Form = keyof TestSpecs;

/** A test with the settings from its file. */
type TestForm = { readonly [Each in Form]: { readonly form: Each; readonly spec: TestSpecs[Each] } }[Form];

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
export type SuiteTestOf<Each extends Form> = Extract<SuiteTest, { form: Each }>;

/** The id of one call that is made for a test; attempts count from 1. */
export function testCallId(testIndex: number, attempt: number): string {
  return `test-${testIndex + 1}-${attempt}`;
}

/** Which test a call was made for; undefined for other calls. */
export function testOfCall(callId: string): number | undefined {
  const [, number] = /^test-(\d+)-\d+$/.exec(callId) ?? [];
  return number === undefined ? undefined : Number(number) - 1;
}

/** Lists of a suite whose tests have one form. */
interface TestList {
  readonly form: Form;
  readonly keys: readonly string[];
  readonly subjectOf: (spec: never) => string;
  /** Why a test cannot be done, where it cannot. */
  readonly problemOf: (spec: never) => string | undefined;
}

function list<Each extends Form>(
  form: Each,
  keys: readonly string[],
  subjectOf: (spec: TestSpecs[Each]) => string,
  problemOf: (spec: TestSpecs[Each]) => string | undefined = () => undefined,
): TestList {
  return { form, keys, subjectOf, problemOf };
}

/** The template of a test, under either of its names. */
export function templateOf({ template, templateUri }: ResourceTemplateTest): string {
  return template ?? templateUri ?? '';
}

const promptOf = ({ promptName, name }: Pick<PromptTest, 'promptName' | 'name'>): string => promptName ?? name;
const toolOf = ({ tool }: Pick<SamplingRequestTest, 'tool'>): string => tool ?? 'sampling';
const needsTool = 'name the `tool` (and its `args`) whose call makes the server send the request';

/** A test without a tool gives the server no occasion, and one without parts observes nothing. */
function problemOfParts({ tool }: Pick<SamplingRequestTest, 'tool'>, parts: readonly unknown[], keys: string) {
  if (tool === undefined) return needsTool;
  return parts.length === 0 ? `it has no \`${keys}\`` : undefined;
}

/** The lists of each kind of suite, in the order in which their tests are done. */
const testLists: Readonly<Record<Exclude<SuiteInput['kind'], 'oauth2'>, readonly TestList[]>> = {
  tool: [list('tool', ['tests'], ({ name }) => name)],
  resource: [
    list('resource-list', ['discoveryTests'], () => 'resources/list'),
    list('resource-read', ['tests', 'resourceTests'], ({ uri }) => uri),
    list('resource-template', ['templateTests'], templateOf),
    list('resource-subscription', ['subscriptionTests'], ({ resourceUri }) => resourceUri),
    list('completion', ['completionTests'], ({ template = '' }) => template),
  ],
  prompt: [
    list('prompt-list', ['discoveryTests'], () => 'prompts/list'),
    list('prompt-get', ['tests', 'promptTests', 'templateTests'], promptOf),
    list('prompt-arguments', ['argumentTests'], promptOf),
    list('prompt-security', ['securityTests'], promptOf),
    list('completion', ['completionTests'], ({ promptName = '' }) => promptName),
  ],
  sampling: [
    list('sampling-capability', ['capabilityTests'], () => 'sampling'),
    list('sampling-request', ['requestTests'], toolOf, ({ tool }) => (tool === undefined ? needsTool : undefined)),
    list('sampling-load', ['performanceTests'], toolOf, ({ tool, expectThrottling }) =>
      expectThrottling === true ? '`expectThrottling: true`' : tool === undefined ? needsTool : undefined,
    ),
    list('sampling-security', ['securityTests'], toolOf, (spec) => {
      const parts = [spec.unauthorizedRequests, spec.sensitiveDataTests, spec.privacyTests].flat();
      return problemOfParts(spec, parts, 'unauthorizedRequests`, `sensitiveDataTests` or `privacyTests');
    }),
    list('sampling-content', ['contentTests'], toolOf, (spec) => problemOfParts(spec, spec.testCases, 'testCases')),
    list('sampling-workflow', ['workflowTests'], toolOf, (spec) => problemOfParts(spec, spec.steps, 'steps')),
  ],
  elicitation: [list('elicitation-request', ['requestTests'], ({ tool }) => tool)],
};

type Draft = TestForm & Pick<SuiteTest, 'subject' | 'unsupported'>;

/** All tests of a suite in the order in which they are done. */
export function suiteTests(input: SuiteInput): SuiteTest[] {
  const { kind } = input;
  const drafts = kind === 'oauth2' ? oauthDrafts(input.suite) : testLists[kind].flatMap((one) => draftsOf(one, input));
  return drafts.map((draft, index) => {
    const { name, description = draft.form === 'tool' ? `${name} test` : name } = draft.spec;
    return { ...draft, index, kind, name: description };
  });
}

function draftsOf({ form, keys, subjectOf, problemOf }: TestList, { suite }: SuiteInput): Draft[] {
  const lists = suite as unknown as Readonly<Record<string, readonly never[]>>;
  return keys.flatMap((key) =>
    (lists[key] ?? []).map((spec) => ({ form, spec, subject: subjectOf(spec), unsupported: problemOf(spec) }) as Draft),
  );
}

function oauthDrafts(suite: Parameters<typeof oauthTests>[0]): Draft[] {
  return oauthTests(suite).map(({ test, unsupported }) => {
    const { name, description } = test.spec;
    return { form: 'oauth', spec: { name, description, test }, subject: test.kind, unsupported };
  });
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
