import type { ConnectorType, NamedParts } from '../../../../src/entry/server/api/project.ts';
import { isRecord } from '../../../../src/shared/json.ts';
import type { FieldEntry, FormField, GroupField } from '../../forms/form-field.ts';
import type { JsonSchema } from '../../forms/read-form.ts';
import type { ScenarioKind } from './scenario-kind.ts';

/** The names of the project's parts, for the form. */
interface KnownParts {
  readonly connectors: NamedParts | undefined;
  readonly personas: NamedParts | undefined;
  readonly connectorTypes: readonly ConnectorType[];
}

/** The schema of a file as a form wants it: what may be written in many ways is offered in the usual ones. */
export function formSchema(kind: ScenarioKind, schema: JsonSchema, known: KnownParts): JsonSchema {
  const properties = { ...(isRecord(schema.properties) ? schema.properties : {}) };
  if (kind === 'conversation') {
    properties.connector = connectorSchema(properties.connector, known);
    properties.persona = personaSchema(properties.persona, known);
    properties.messages = messagesSchema(properties.messages);
  }
  if (kind === 'mcp-server') properties.workflows = withoutEvaluators(properties.workflows);
  if (kind === 'cli-tool') properties.guidance = guidanceSchema(properties.guidance);
  return { ...schema, properties };
}

function connectorSchema(given: unknown, { connectors, connectorTypes }: KnownParts): JsonSchema {
  const names = connectors?.items.map(({ name }) => name) ?? [];
  const all = isRecord(connectors?.schema.properties) ? connectors.schema.properties : {};
  const { name, ...others } = all;
  const inline = {
    title: 'Inline',
    type: 'object',
    properties: {
      ...others,
      type: { type: 'string', enum: connectorTypes.map(({ type }) => type), description: 'what the agent speaks' },
      baseUrl: { type: 'string', description: 'its address; ${VAR} is replaced when it is called' },
      headers: { type: 'object', additionalProperties: { type: 'string' }, description: 'sent with every request' },
      config: { description: 'settings of this kind of connector' },
    },
    required: ['type'],
    additionalProperties: false,
  };
  const byName = { title: 'By name', type: 'string', minLength: 1, ...(names.length > 0 ? { enum: names } : {}) };
  return { ...descriptionOf(given), anyOf: [inline, byName] };
}

function personaSchema(given: unknown, { personas }: KnownParts): JsonSchema {
  const names = personas?.items.map(({ name }) => name) ?? [];
  const byName = { title: 'By name', type: 'string', minLength: 1, ...(names.length > 0 ? { enum: names } : {}) };
  return { ...descriptionOf(given), anyOf: [byName, { ...(personas?.schema ?? {}), title: 'Inline' }] };
}

function messagesSchema(given: unknown): JsonSchema {
  return {
    ...descriptionOf(given),
    type: 'array',
    items: {
      type: 'object',
      properties: {
        role: { type: 'string', enum: ['user', 'assistant', 'system', 'tool'] },
        content: { type: 'string' },
      },
      required: ['role', 'content'],
    },
  };
}

function guidanceSchema(given: unknown): JsonSchema {
  const byName = { title: 'By name', type: 'object', additionalProperties: { type: 'string' } };
  return { ...descriptionOf(given), anyOf: [byName, { title: 'List', type: 'array', items: { type: 'string' } }] };
}

function withoutEvaluators(given: unknown): unknown {
  if (!isRecord(given) || !isRecord(given.items) || !isRecord(given.items.properties)) return given;
  const { evaluators, ...properties } = given.items.properties;
  return { ...given, items: { ...given.items, additionalProperties: {}, properties } };
}

function descriptionOf(given: unknown): JsonSchema {
  return isRecord(given) && typeof given.description === 'string' ? { description: given.description } : {};
}

/** A part of the form for a scenario: a title, and the keys that stand below it. */
export interface FormSection {
  readonly title: string;
  /** Keys of the file; with a dot, of a map inside of it. */
  readonly keys: readonly string[];
}

/** Stands where the evaluators of the file are shown. */
export const evaluatorsTitle = 'Evaluators';

const about: FormSection = { title: 'About', keys: ['name', 'description', 'tags', 'tier'] };
const inCi: FormSection = { title: 'In CI', keys: ['ci'] };
const evaluators: FormSection = { title: evaluatorsTitle, keys: [] };

const sections: Readonly<Record<ScenarioKind, readonly FormSection[]>> = {
  tool: [
    about,
    { title: 'Tool under test', keys: ['call'] },
    { title: 'Inputs', keys: ['input', 'cases', 'dataset'] },
    {
      title: 'What must hold',
      keys: ['passCriteria', 'failCriteria', 'expected', 'expectedBehavior'],
    },
    evaluators,
    { title: 'Judge', keys: ['judge'] },
    { title: 'How it runs', keys: ['repeat', 'timeoutSecs'] },
    inCi,
  ],
  'cli-tool': [
    about,
    { title: 'Task', keys: ['task'] },
    { title: 'Tool under test', keys: ['target', 'template_folder', 'setup'] },
    evaluators,
    { title: 'Guidance', keys: ['guidance'] },
    { title: 'Agents and models', keys: ['agents', 'models', 'tool_matrix'] },
    { title: 'Judge', keys: ['evaluation.judge', 'evaluation.composite'] },
    { title: 'Scripts', keys: ['scripts'] },
    { title: 'MCP servers', keys: ['mcp_servers', 'surfaces', 'subsets'] },
    { title: 'How it runs', keys: ['repeat', 'run', 'cost', 'isolation'] },
    inCi,
  ],
  conversation: [
    about,
    { title: 'Agent under test', keys: ['connector'] },
    {
      title: 'Conversation',
      keys: ['userMessages', 'messages', 'persona', 'user', 'instructions', 'maxMessages'],
    },
    evaluators,
    {
      title: 'What a model judges',
      keys: ['successCriteria', 'failureCriteria', 'failureCriteriaMode', 'judge'],
    },
    { title: 'How it runs', keys: ['repeat', 'timeoutSecs', 'models', 'dataset'] },
    inCi,
  ],
  'mcp-server': [
    { ...about, keys: ['name', 'description', 'tags'] },
    { title: 'Server', keys: ['server', 'timeout', 'concurrent'] },
    { title: 'Performance', keys: ['performance'] },
    { title: 'Tools called directly', keys: ['toolHealthSuites'] },
    { title: 'Workflows', keys: ['workflows'] },
    evaluators,
    {
      title: 'Models and agents',
      keys: ['model', 'models', 'agents', 'wordings', 'surfaces', 'subsets'],
    },
    { title: 'Judge', keys: ['llmJudge', 'judgeModel', 'passThreshold', 'judgeErrors'] },
    { title: 'How it runs', keys: ['repeat', 'tier'] },
    inCi,
  ],
};

/** Shown nowhere: what editors and other programs write into files. */
const unshown = ['$schema', 'id', 'projectId', 'createdAt', 'updatedAt', 'evaluators', 'gates', 'evaluation'];

/** The parts of the form for a kind of file; the last one has every key that no other has. */
export function sectionsOf(kind: ScenarioKind, form: GroupField): readonly FormSection[] {
  const own = sections[kind];
  const named = [...unshown, ...own.flatMap(({ keys }) => keys.map((key) => key.split('.')[0] ?? key))];
  const rest = form.entries.map(({ key }) => key).filter((key) => !named.includes(key));
  return rest.length === 0 ? own : [...own, { title: 'More', keys: rest }];
}

/** The order in which new keys are put into a file. */
export function keyOrderOf(kind: ScenarioKind): readonly string[] {
  return sections[kind].flatMap(({ title, keys }) =>
    title === evaluatorsTitle ? ['evaluation', 'evaluators'] : keys.map((key) => key.split('.')[0] ?? key),
  );
}

/** The field for a key of the file, or of a map inside of it. */
export function fieldOf(form: FormField, key: string): FieldEntry | undefined {
  const [first = '', ...rest] = key.split('.');
  const entry = form.kind === 'group' ? form.entries.find((candidate) => candidate.key === first) : undefined;
  return entry === undefined || rest.length === 0 ? entry : fieldOf(entry.field, rest.join('.'));
}
