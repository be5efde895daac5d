import type { SamplingLoadTest, SamplingRequestTest, SamplingSuite } from './mcp-client-suites.ts';
import type { PromptSuite, PromptTest } from './mcp-prompt-suites.ts';
import type { ResourceSuite, ResourceTemplateTest } from './mcp-resource-suites.ts';
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
      return each('elicitation-request', input.suite.requestTests, ({ tool }) => tool);
  }
}

function resourceTests(suite: ResourceSuite): Draft[] {
  return [
    ...each('resource-list', suite.discoveryTests, () => 'resources/list'),
    ...each('resource-read', [...suite.tests, ...suite.resourceTests], ({ uri }) => uri),
    ...each('resource-template', suite.templateTests, templateOf),
    ...each('resource-subscription', suite.subscriptionTests, (spec) => spec.resourceUri),
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
  ];
}

function promptOf({ promptName, name }: Pick<PromptTest, 'promptName' | 'name'>): string {
  return promptName ?? name;
}

const needsTool = 'a server asks its client only while it is used: name the `tool` (and its `args`) that makes it ask';

function samplingTests(suite: SamplingSuite): Draft[] {
  const subjectOf = ({ tool }: Pick<SamplingRequestTest, 'tool'>): string => tool ?? 'sampling';
  return [
    ...each('sampling-capability', suite.capabilityTests, () => 'sampling'),
    ...each('sampling-request', suite.requestTests, subjectOf).map((draft) =>
      draft.spec.tool === undefined ? { ...draft, unsupported: needsTool } : draft,
    ),
    ...suite.performanceTests.map(loadTest),
    ...foreignTests(suite, 'securityTests'),
    ...foreignTests(suite, 'contentTests'),
    ...foreignTests(suite, 'workflowTests'),
  ];
}

function loadTest(spec: SamplingLoadTest): Draft {
  const unsupported =
    spec.expectThrottling === true ? '`expectThrottling: true`' : spec.tool === undefined ? needsTool : undefined;
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
  subjectOf: (spec: Spec) => string,
) {
  return specs.map((spec) => ({
    form,
    spec,
    subject: subjectOf(spec),
  }));
}
