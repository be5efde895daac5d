import type { SuiteTestKind } from './mcp.ts';
import type {
  ElicitationRequestTest,
  ForeignTest,
  SamplingCapabilityTest,
  SamplingLoadTest,
  SamplingRequestTest,
} from './mcp-client-suites.ts';
import type { PromptArgumentTest, PromptDiscoveryTest, PromptSecurityTest, PromptTest } from './mcp-prompt-suites.ts';
import type {
  ResourceDiscoveryTest,
  ResourceSubscriptionTest,
  ResourceTemplateTest,
  ResourceTest,
} from './mcp-resource-suites.ts';
import type { ToolTest } from './mcp-suites.ts';

interface FormOf<Form extends string, Spec> {
  /** What is done for the test. */
  readonly form: Form;
  readonly spec: Spec;
}

/** What there is to do, with what the file says about it. */
export type TestForm =
  | FormOf<'tool', ToolTest>
  | FormOf<'resource-list', ResourceDiscoveryTest>
  | FormOf<'resource-read', ResourceTest>
  | FormOf<'resource-template', ResourceTemplateTest>
  | FormOf<'resource-subscription', ResourceSubscriptionTest>
  | FormOf<'prompt-list', PromptDiscoveryTest>
  | FormOf<'prompt-get', PromptTest>
  | FormOf<'prompt-arguments', PromptArgumentTest>
  | FormOf<'prompt-security', PromptSecurityTest>
  | FormOf<'sampling-capability', SamplingCapabilityTest>
  | FormOf<'sampling-request', SamplingRequestTest>
  | FormOf<'sampling-load', SamplingLoadTest>
  | FormOf<'elicitation-request', ElicitationRequestTest>
  | FormOf<'unsupported', ForeignTest>;

/** One test of a suite, whatever list it stands in. */
export type SuiteTest = TestForm & {
  /** Among all tests of the suite, from 0. */
  readonly index: number;
  readonly kind: SuiteTestKind;
  /** What the test is called. */
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
