import type { Problem } from '../../../../domain/problem.ts';
import type { Case } from '../../../../domain/scenario.ts';
import type { Variant } from '../../../../domain/variant.ts';
import type { ConnectorSpec, ConversationConfig } from '../../../../drive/conversation/conversation-config.ts';
import { sha256 } from '../../../../shared/ids.ts';
import { canonicalJson } from '../../../../shared/json.ts';
import type { ParsedSource } from '../../../sources/parsed-source.ts';
import { problemsOf } from '../../../sources/schema-problems.ts';
import {
  caseByCase,
  commonParts,
  type ReadContext,
  type ReadPart,
  type ReadScenario,
  trialLimitMs,
} from '../../scenario-format.ts';
import { identityOf } from '../scenario-identity.ts';
import { modelOf, numberOf, TestEvaluators } from './assertions-section.ts';
import { readCode, transformStep } from './code-section.ts';
import { isKept, Located, type PromptfooReading, refuseOtherKeys } from './located.ts';
import { TemplateFault } from './nunjucks-scope.ts';
import { hasTemplate } from './nunjucks-text.ts';
import { expressionsIn, fieldOf, type Prompt, readPrompts, templatesOf } from './prompts-section.ts';
import { type Provider, readProviders } from './providers-section.ts';
import { type ExpandedTest, readTests } from './tests-section.ts';

const readKeys = [
  'description',
  'prompts',
  'providers',
  'targets',
  'tests',
  'scenarios',
  'defaultTest',
  'evaluateOptions',
];
/** Keys about output, sharing and speed, which decide nothing. */
const ignoredKeys = [
  '$schema',
  'tags',
  'metadata',
  'outputPath',
  'sharing',
  'writeLatestResults',
  'commandLineOptions',
  'derivedMetrics',
];

/** Tests that share a way to talk to the providers. */
interface TestGroup {
  readonly prefix: string;
  readonly suffix: string;
  readonly transform: readonly TransformStep[];
  readonly judges: readonly string[];
  readonly tests: ExpandedTest[];
}

type TransformStep = ReturnType<typeof transformStep>;

/** Parts of a config that all of its tests share. */
interface PromptfooConfig {
  readonly name: string;
  readonly prompts: readonly Prompt[];
  readonly providers: readonly Provider[];
  readonly groups: readonly TestGroup[];
  readonly repeat: number;
}

/** Reads a config; each group of tests that talks to the providers in its own way is a scenario. */
export async function readPromptfoo(
  source: ParsedSource,
  context: ReadContext,
  leftOut?: Problem[],
): Promise<readonly ReadPart[]> {
  const found = { problems: [], warnings: [] };
  const reading: PromptfooReading = { source, context, found, files: new Set(), leftOut };
  const config = await readConfig(reading);
  const parts: ReadScenario[] = [];
  for (const [index, group] of config.groups.entries()) {
    const name = index === 0 ? config.name : `${config.name} (${index + 1})`;
    parts.push(await scenarioOf(group, name, config, reading));
  }
  const { problems, warnings } = reading.found;
  if (problems.length > 0) return [{ source, read: unique(problems) }];
  return parts.map((part, index) => ({ source, read: index === 0 ? { ...part, warnings: unique(warnings) } : part }));
}

/** A problem of a default is found with each test. */
function unique(problems: readonly Problem[]): Problem[] {
  return [...new Map(problems.map((problem) => [canonicalJson([problem.at, problem.message]), problem])).values()];
}

/** The parts of a config; problems are reported to the reading. */
async function readConfig(reading: PromptfooReading): Promise<PromptfooConfig> {
  const { source, found } = reading;
  const config = new Located(source.value, source);
  refuseOtherKeys(config, [...readKeys, ...ignoredKeys], 'of a promptfoo config', reading);
  const prompts = await readPrompts(config.get('prompts'), reading);
  const hasChats = prompts.some(({ isChat }) => isChat);
  const section = config.get('providers').isMissing ? config.get('targets') : config.get('providers');
  const providers = await readProviders(section, hasChats, reading);
  refuseMixedPrompts(prompts, providers, reading);
  const options = config.get('evaluateOptions');
  for (const key of ['maxConcurrency', 'delay']) {
    if (options.get(key).isMissing) continue;
    const message = `\`${key}\` is ignored`;
    found.warnings.push({ at: options.keyAt(key), message, hint: 'Use `assay run --concurrency`.' });
  }
  const tests = await readTests(config, reading);
  const groups = await groupsOf(tests, reading);
  return {
    name: config.get('description').text?.trim() || source.file,
    prompts,
    providers,
    groups,
    repeat: numberOf(options.get('repeat')) ?? 1,
  };
}

/** An HTTP request or a program gets either one message or all of them. */
function refuseMixedPrompts(
  prompts: readonly Prompt[],
  providers: readonly Provider[],
  { found }: PromptfooReading,
): void {
  const text = prompts.find(({ isChat }) => !isChat);
  const isEither = providers.some(({ spec }) => spec.type === 'http' || spec.type === 'command');
  if (isEither && text && prompts.some(({ isChat }) => isChat)) {
    found.problems.push(text.item.problem('texts and chats for one HTTP provider or program have no equal in Assay'));
  }
}

async function groupsOf(tests: readonly ExpandedTest[], reading: PromptfooReading): Promise<TestGroup[]> {
  const groups = new Map<string, TestGroup>();
  for (const test of tests) {
    let shared = noSharedParts;
    const step = () => {
      shared = sharedParts(test, reading);
    };
    if (!(await isKept(reading, step))) continue;
    const key = canonicalJson(shared);
    const group = groups.get(key) ?? { ...shared, tests: [] };
    group.tests.push(test);
    groups.set(key, group);
  }
  return [...groups.values()];
}

const noSharedParts: Omit<TestGroup, 'tests'> = { prefix: '', suffix: '', transform: [], judges: [] };

function sharedParts(test: ExpandedTest, reading: PromptfooReading): Omit<TestGroup, 'tests'> {
  const named = test.option('transform').isMissing ? test.option('postprocess') : test.option('transform');
  const code = named.isMissing ? undefined : readCode(named, '`transform`', reading);
  const plain = (name: 'prefix' | 'suffix'): string => {
    const item = test.option(name);
    const text = item.text ?? '';
    if (!hasTemplate(text)) return text;
    reading.found.problems.push(
      item.problem(`a template in \`${name}\` has no equal in Assay`, 'Write it in the prompts.'),
    );
    return '';
  };
  return {
    prefix: plain('prefix'),
    suffix: plain('suffix'),
    transform: code ? [transformStep(code)] : [],
    judges: judgesOf(test, reading),
  };
}

/** Models that grade the rubrics of a test: one for all of them. */
function judgesOf(test: ExpandedTest, reading: PromptfooReading): string[] {
  const usual = gradingProvider(test.option('provider'));
  const rubrics = test.assertions.filter((item) =>
    /^(?:not-)?(?:llm-rubric|model-graded|factuality|g-eval)/.test(item.get('type').text ?? ''),
  );
  const models = rubrics.map((item) => modelOf(item.get('provider').isMissing ? usual : item.get('provider'), reading));
  const named = [...new Set(models)];
  if (named.length > 1) {
    const message = 'rubrics of one test that are graded by different models have no equal in Assay';
    reading.found.problems.push(test.item.problem(message));
  }
  return named.flatMap((model) => model ?? []);
}

/** `provider` of options may name a model for each kind of grading. */
function gradingProvider(item: Located): Located {
  return item.get('text').isMissing ? item : item.get('text');
}

async function scenarioOf(
  group: TestGroup,
  name: string,
  config: PromptfooConfig,
  reading: PromptfooReading,
): Promise<ReadScenario> {
  const { context, source } = reading;
  const { defaults } = context;
  const unwritten = unwrittenVars(group.tests);
  const target = targetConfig(group, config, unwritten, context);
  reportRefusals(target, config.providers, reading);
  const cases = await casesOf(group, config.prompts, unwritten, reading);
  return {
    ...commonParts({ name, description: config.name, tags: [], tier: 0, repeat: config.repeat }, source, context),
    files: [...reading.files],
    timeoutMs: trialLimitMs(undefined, defaults),
    target: { type: 'conversation', config: target },
    judge: { models: group.judges, samples: undefined },
    variants: variantsOf(config, context),
    caseCount: cases.length,
    contentHash: sha256(canonicalJson([target, group.judges, cases])),
    identity: identityOf({
      written: { ...target, connectors: undefined },
      subjectKeys: [],
      subject: { connectors: target.connectors },
      content: [group.judges, cases],
    }),
    cases: () => caseByCase(cases),
  };
}

function targetConfig(
  group: TestGroup,
  { prompts, providers }: PromptfooConfig,
  unwritten: ReadonlySet<string>,
  { defaults }: ReadContext,
): ConversationConfig {
  const connectorUrl = defaults.conversations?.connectorUrl;
  const withSteps = (spec: ConnectorSpec): ConnectorSpec => {
    const steps = [...(spec.transform === undefined ? [] : [spec.transform].flat()), ...group.transform];
    const { transform: _, ...rest } = spec;
    return {
      ...rest,
      ...(connectorUrl !== undefined && spec.baseUrl !== undefined && { baseUrl: connectorUrl }),
      ...(steps.length > 0 && { transform: [...steps] }),
    };
  };
  return {
    connectors: Object.fromEntries(providers.map(({ name, spec }) => [name, withSteps(spec)])),
    personas: {},
    messages: [],
    prompts: Object.fromEntries(prompts.map((prompt) => [prompt.label, templatesOf(prompt, group, unwritten)])),
    userMessages: [],
    // The agent answers once.
    maxMessages: 2,
  };
}

/** Each provider with each of its prompts. */
function variantsOf({ prompts, providers }: PromptfooConfig, { defaults }: ReadContext): Variant[] {
  const chosen = defaults.conversations?.connectorNames;
  return providers
    .filter(({ name }) => chosen === undefined || chosen.includes(name))
    .flatMap((provider) =>
      prompts
        .filter(({ label }) => provider.prompts === undefined || provider.prompts.includes(label))
        .map(({ label }) => ({ connector: provider.name, ...(prompts.length > 1 && { guidance: label }) })),
    );
}

/** Problems that the connectors find in their configs. */
function reportRefusals(
  target: ConversationConfig,
  providers: readonly Provider[],
  { context, found }: PromptfooReading,
): void {
  const kinds = context.defaults.conversations?.connectorKinds ?? [];
  for (const { spec, item } of providers) {
    const schema = kinds.find(({ type }) => type === spec.type)?.configSchema;
    const parsed = schema?.safeParse(spec.config ?? {});
    if (schema && parsed && !parsed.success) {
      found.problems.push(
        ...problemsOf(parsed.error, item.source, schema, item.path).map((problem) => ({ ...problem, at: item.at })),
      );
    }
  }
  const kind = context.parts.targets.find(({ type }) => type === 'conversation');
  const parsed = kind?.configSchema.safeParse(target);
  for (const { path, message } of parsed && !parsed.success ? parsed.error.issues : []) {
    const provider = path[0] === 'connectors' ? providers.find(({ name }) => name === path[1]) : undefined;
    found.problems.push({ at: (provider ?? providers[0])?.item.at ?? { file: '', line: 1, column: 1 }, message });
  }
}

async function casesOf(
  group: TestGroup,
  prompts: readonly Prompt[],
  unwritten: ReadonlySet<string>,
  reading: PromptfooReading,
): Promise<Case[]> {
  const cases: Case[] = [];
  const names = new Set<string>();
  const shared = new Map<string, Case['evaluators']>();
  for (const test of group.tests) {
    const number = `test-${test.number}`;
    const { description = number } = test;
    const caseId = names.has(description) ? `${description} (${number})` : description;
    names.add(caseId);
    const threshold = numberOf(test.threshold);
    let made: Case['evaluators'] = [];
    const step = async () => {
      made = await new TestEvaluators(test.vars, reading).evaluatorsOf(test.assertions, threshold);
    };
    if (!(await isKept(reading, step))) continue;
    // One list for all cases that are judged alike, so the evaluators are prepared once.
    const key = canonicalJson(made);
    const evaluators = shared.get(key) ?? made;
    shared.set(key, evaluators);
    cases.push({ caseId, input: inputOf(test, prompts, unwritten, reading), expected: undefined, evaluators });
  }
  return cases;
}

/** The vars of a test, and the texts of expressions that are more than a var with a text. */
function inputOf(
  { vars, item }: ExpandedTest,
  prompts: readonly Prompt[],
  unwritten: ReadonlySet<string>,
  { found }: PromptfooReading,
): Record<string, unknown> {
  const input: Record<string, unknown> = { ...vars };
  for (const expression of prompts.flatMap(expressionsIn)) {
    const { source, roots, isVar } = expression;
    const field = fieldOf(expression, unwritten);
    const isMissing = roots.some((name) => !Object.hasOwn(vars, name));
    if (isVar && !isMissing && field === expression.field) continue;
    try {
      const text = expression.write(vars);
      input[field] = text;
      if (isMissing && text === '' && source.startsWith('{{')) {
        found.warnings.push(item.problem(`\`${source}\` of a prompt is empty: the test has no such var`));
      }
    } catch (error) {
      if (!(error instanceof TemplateFault)) throw error;
      found.problems.push(item.problem(error.message));
    }
  }
  return input;
}

/** Vars whose values templates write in another way than Assay. */
function unwrittenVars(tests: readonly ExpandedTest[]): ReadonlySet<string> {
  const vars = tests.flatMap((test) => Object.entries(test.vars));
  return new Set(vars.filter(([, value]) => typeof value === 'object').map(([name]) => name));
}
