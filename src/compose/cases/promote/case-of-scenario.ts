import type { TrialRecord } from '../../../domain/record.ts';
import { eventsOf, type Trace } from '../../../domain/trace.ts';
import { suiteKinds } from '../../../load/scenarios/formats/mcp-server/mcp-server-schema.ts';
import { isRecord } from '../../../shared/json.ts';
import { fillTemplates, type TemplateValues } from '../../../shared/templates.ts';
import type { OriginalScenario } from './original-scenario.ts';
import type { RecordedTrial } from './recorded-trial.ts';

type Data = Readonly<Record<string, unknown>>;

/** The scenario of a trial with nothing left but the case and the variant of the trial; names and labels come later. */
export function caseOfScenario(found: OriginalScenario, trial: RecordedTrial): Record<string, unknown> {
  const original = { ...found, data: withOwnArms(found.data, trial.record) };
  switch (original.format) {
    case 'assay':
      return callCase(original, trial);
    case 'llm-tool-test':
      return taskCase(original, trial);
    case 'conversation':
      return conversationCase(original, trial);
    case 'mcp-server':
      return serverCase(original, trial);
  }
}

/** Of the sets of faults, the policies of approvals and the surfaces, those of the trial: they made it what it was. */
function withOwnArms(data: Data, { variant: { faults, surface, approvals } }: TrialRecord): Data {
  const ofSet = isRecord(data.faults) && faults !== undefined ? data.faults[faults] : data.faults;
  const ofPolicy = isRecord(data.approvals) && approvals !== undefined ? data.approvals[approvals] : data.approvals;
  const { faults: _faults, approvals: _approvals, ...rest } = data;
  return {
    ...rest,
    ...(ofSet !== undefined && { faults: ofSet }),
    ...(ofPolicy !== undefined && { approvals: ofPolicy }),
    ...(surface !== undefined && 'surfaces' in data && { surfaces: [surface] }),
  };
}

function without(data: Data, ...keys: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(data).filter(([key]) => !keys.includes(key)));
}

/** The input of an edited trial is in no file. */
function isEdited({ run }: RecordedTrial): boolean {
  return run?.request.origin?.kind === 'edit';
}

function callCase({ data, case: found }: OriginalScenario, trial: RecordedTrial): Record<string, unknown> {
  const { caseId, expected, expectedBehavior, evaluators } = found;
  const sent = eventsOf(trial.trace, 'tool-call').find(({ seenBy }) => seenBy === 'engine');
  const input = isEdited(trial) && sent ? sent.input : found.input;
  const criteria = evaluators.find(({ type }) => type === 'criteria')?.config;
  const only = {
    name: caseId,
    input,
    ...(expected !== undefined && { expected }),
    ...(expectedBehavior !== undefined && { expectedBehavior }),
    ...ownCriteria(data, criteria, 'passCriteria'),
    ...ownCriteria(data, criteria, 'failCriteria'),
  };
  return { ...without(data, 'cases', 'dataset', 'input', 'expected', 'expectedBehavior', 'repeat'), cases: [only] };
}

/** Criteria of a case follow those of its scenario in one list. */
function ownCriteria(data: Data, config: unknown, key: 'passCriteria' | 'failCriteria'): Data {
  const all = isRecord(config) && Array.isArray(config[key]) ? config[key] : [];
  const shared = Array.isArray(data[key]) ? data[key].length : 0;
  const own = all.slice(shared);
  return own.length === 0 ? {} : { [key]: own };
}

function taskCase({ data, case: found }: OriginalScenario, trial: RecordedTrial): Record<string, unknown> {
  const { agent, model, guidance, skills, harness } = trial.record.variant;
  const rest = without(
    data,
    'tool_matrix',
    'agents',
    'models',
    'guidance',
    'skills',
    'harness',
    'task',
    'triggers',
    'repeat',
  );
  const arm = (key: 'guidance' | 'skills' | 'harness', name: string | undefined): Data => {
    const written = name === undefined ? undefined : armNamed(data[key], name);
    return written === undefined ? {} : { [key]: { [name ?? '']: written } };
  };
  const prompt = isEdited(trial) ? (firstPrompt(trial.trace) ?? found.input) : found.input;
  const isTriggered = isRecord(found.expected) && found.expected.triggers === true;
  return {
    ...rest,
    ...(data.triggers === undefined
      ? { task: { prompt } }
      : // A list of prompts that should trigger the skill must not be empty, so a near miss becomes a task.
        isTriggered
        ? { triggers: { should: [prompt] } }
        : {
            task: { prompt },
            evaluators: [...listIn(data.evaluators), { type: 'skill-used', config: { used: false } }],
          }),
    ...(agent !== undefined && { agents: [agent] }),
    ...(model !== undefined && { models: [model] }),
    ...arm('guidance', guidance),
    ...arm('skills', skills),
    ...arm('harness', harness),
  };
}

/** The value of one of several variants, which is found by its name or by the last part of its path. */
function armNamed(section: unknown, name: string): unknown {
  if (isRecord(section)) return section[name];
  const paths = typeof section === 'string' ? [section] : listIn(section).filter((path) => typeof path === 'string');
  return paths.find((path) => stemOf(path) === name) ?? paths.find((path) => path === name);
}

function stemOf(path: string): string {
  return (path.split(/[/\\]/).at(-1) ?? '').replace(/\.[^.]+$/, '');
}

function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function firstPrompt(trace: Trace): string | undefined {
  return eventsOf(trace, 'message').find(({ role, seenBy }) => role === 'user' && seenBy === 'engine')?.text;
}

const simulated = ['persona', 'personas', 'personaIds', 'user', 'instructions'];

/** The user says again what was said, word for word, so a simulated user is no longer needed. */
function conversationCase({ data, case: found }: OriginalScenario, trial: RecordedTrial): Record<string, unknown> {
  const { connector, model } = trial.record.variant;
  const filled = fillTemplates(without(data, 'dataset', 'id', 'repeat'), found.input as TemplateValues) as Data;
  const isSimulated = simulated.some((key) => key in data) || isEdited(trial);
  const begin = isEdited(trial) ? 0 : listIn(filled.messages).length;
  const sent = eventsOf(trial.trace, 'message')
    .filter(({ seenBy }) => seenBy === 'engine')
    .slice(begin)
    .flatMap(({ role, text }) => (role === 'user' ? [text] : []));
  const isRewritten = isSimulated && sent.length > 0;
  const kept = isRewritten ? without(filled, ...simulated, ...(isEdited(trial) ? ['messages'] : [])) : filled;
  return {
    ...without(kept, 'models'),
    ...(isRewritten && { userMessages: sent, maxMessages: Math.max(1, begin + sent.length * 2) }),
    ...(connector !== undefined && isChosenByName(data) && { connector }),
    ...(model !== undefined && { model }),
  };
}

/** Whether the connector of a trial was chosen among named ones; one that the scenario writes itself stays. */
function isChosenByName({ connector, connectorId }: Data): boolean {
  return (
    connectorId === undefined &&
    (connector === undefined || /^(?!\w+:\/\/)/.test(String(connector))) &&
    !isRecord(connector)
  );
}

/** One suite or workflow of a server; of a suite of tools only the tests that did not pass. */
function serverCase({ data, scenario }: OriginalScenario, { record }: RecordedTrial): Record<string, unknown> {
  const keys = [...suiteKinds.map(({ key }) => key), 'workflows'];
  const key = suiteKinds.find(({ part }) => part === scenario.serverPart)?.key ?? 'workflows';
  const sections = listIn(data[key]).filter(isRecord);
  const section = longestNamed(sections, record.scenario);
  const only = section && key === 'toolHealthSuites' ? withFailedTests(section, record) : section;
  const { agent, model, description } = record.variant;
  const wordings = description !== undefined && isRecord(data.wordings) ? data.wordings[description] : undefined;
  return {
    ...without(data, 'name', 'description', 'repeat', 'agents', 'models', 'model', 'wordings', ...keys),
    ...(key === 'workflows' && agent !== undefined && { agents: [agent] }),
    ...(key === 'workflows' && model !== undefined && { models: [model] }),
    ...(wordings !== undefined && { wordings: { [description ?? '']: wordings } }),
    [key]: [only ?? {}],
  };
}

/** The section whose name begins the title of its scenario: the longest, as one name may begin another. */
function longestNamed(sections: readonly Data[], title: string): Data | undefined {
  const named = sections.filter(({ name }) => typeof name === 'string' && title.startsWith(name));
  return named.sort((a, b) => String(b.name).length - String(a.name).length)[0];
}

function withFailedTests(suite: Data, { toolHealth }: TrialRecord): Data {
  const tests = listIn(suite.tests);
  // Without a result for each test, it is not known which of them failed.
  if (tests.length !== toolHealth.length) return suite;
  const failed = tests.filter((_, index) => toolHealth[index]?.passed === false);
  return failed.length === 0 ? suite : { ...suite, tests: failed };
}
