import {
  elicitationRequestTestSchema,
  type ForeignTest,
  type SamplingLoadTest,
  type SamplingRequestTest,
  type SamplingSuite,
  samplingCapabilityTestSchema,
  samplingLoadTestSchema,
  samplingRequestTestSchema,
} from './mcp-client-suites.ts';
import {
  type PromptSuite,
  type PromptTest,
  promptArgumentTestSchema,
  promptDiscoveryTestSchema,
  promptSecurityTestSchema,
  promptTestSchema,
} from './mcp-prompt-suites.ts';
import {
  type ResourceSuite,
  type ResourceTemplateTest,
  resourceDiscoveryTestSchema,
  resourceSubscriptionTestSchema,
  resourceTemplateTestSchema,
  resourceTestSchema,
} from './mcp-resource-suites.ts';
import type { SuiteInput } from './suite-input.ts';
import type { SuiteTest, TestForm } from './suite-test.ts';

type Draft = TestForm & { readonly subject: string; readonly unsupported?: string | undefined };

/** All tests of a suite in the order in which they are done. */
export function suiteTests(input: SuiteInput): SuiteTest[] {
  if (input.kind === 'oauth2') return [];
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

function drafts(input: Exclude<SuiteInput, { kind: 'oauth2' }>): Draft[] {
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
      return each('elicitation-request', input.suite.requestTests, elicitationRequestTestSchema, ({ tool }) => tool);
  }
}

function resourceTests(suite: ResourceSuite): Draft[] {
  return [
    ...each('resource-list', suite.discoveryTests, resourceDiscoveryTestSchema, () => 'resources/list'),
    ...each('resource-read', [...suite.tests, ...suite.resourceTests], resourceTestSchema, ({ uri }) => uri),
    ...each('resource-template', suite.templateTests, resourceTemplateTestSchema, templateOf),
    ...each(
      'resource-subscription',
      suite.subscriptionTests,
      resourceSubscriptionTestSchema,
      (spec) => spec.resourceUri,
    ),
  ];
}

/** The template of a test, under either of its names. */
export function templateOf({ template, templateUri }: ResourceTemplateTest): string {
  return template ?? templateUri ?? '';
}

function promptTests(suite: PromptSuite): Draft[] {
  const gets = [...suite.tests, ...suite.promptTests, ...suite.templateTests];
  return [
    ...each('prompt-list', suite.discoveryTests, promptDiscoveryTestSchema, () => 'prompts/list'),
    ...each('prompt-get', gets, promptTestSchema, promptOf),
    ...each('prompt-arguments', suite.argumentTests, promptArgumentTestSchema, promptOf),
    ...each('prompt-security', suite.securityTests, promptSecurityTestSchema, promptOf),
  ];
}

function promptOf({ promptName, name }: Pick<PromptTest, 'promptName' | 'name'>): string {
  return promptName ?? name;
}

const needsTool = 'a server asks its client only while it is used: name the `tool` (and its `args`) that makes it ask';

function samplingTests(suite: SamplingSuite): Draft[] {
  const subjectOf = ({ tool }: Pick<SamplingRequestTest, 'tool'>): string => tool ?? 'sampling';
  return [
    ...each('sampling-capability', suite.capabilityTests, samplingCapabilityTestSchema, () => 'sampling'),
    ...each('sampling-request', suite.requestTests, samplingRequestTestSchema, subjectOf).map((draft) =>
      draft.spec.tool === undefined ? { ...draft, unsupported: needsTool } : draft,
    ),
    ...suite.performanceTests.map(loadTest),
    ...foreignTests(suite, 'securityTests'),
    ...foreignTests(suite, 'contentTests'),
    ...foreignTests(suite, 'workflowTests'),
  ];
}

function loadTest(written: SamplingLoadTest | ForeignTest): Draft {
  const parsed = samplingLoadTestSchema.safeParse(written);
  if (!parsed.success) {
    const keys = [...new Set(parsed.error.issues.map(({ path }) => `\`${String(path[0])}\``))];
    return { form: 'unsupported', spec: written, subject: 'sampling', unsupported: keys.join(', ') };
  }
  const { data: spec } = parsed;
  const unsupported = spec.tool === undefined ? needsTool : unknownKeys(spec, samplingLoadTestSchema);
  return { form: 'sampling-load', spec, subject: spec.tool ?? 'sampling', unsupported };
}

function foreignTests(suite: SamplingSuite, group: 'securityTests' | 'contentTests' | 'workflowTests'): Draft[] {
  return suite[group].map((spec) => ({
    form: 'unsupported',
    spec,
    subject: 'sampling',
    unsupported: `\`${group}\` of sampling suites`,
  }));
}

function each<Form extends string, Spec extends object>(
  form: Form,
  specs: readonly Spec[],
  schema: { readonly shape: object },
  subjectOf: (spec: Spec) => string,
) {
  return specs.map((spec) => ({
    form,
    spec,
    subject: subjectOf(spec),
    unsupported: unknownKeys(spec, schema),
  }));
}

/** A key that is not known could be an expectation, and what is not looked at must not pass. */
function unknownKeys(spec: object, { shape }: { readonly shape: object }): string | undefined {
  const unknown = Object.keys(spec).filter((key) => !Object.hasOwn(shape, key));
  return unknown.length === 0 ? undefined : unknown.map((key) => `\`${key}\``).join(', ');
}
