import { type FileSchemaName, fileJsonSchema } from '../../src/compose/config/file-schemas.ts';
import { agentScriptSchema } from '../../src/drive/agents/scripted/script.ts';
import { scriptSchema as modelScriptSchema } from '../../src/drive/models/scripted/script.ts';
import { configExamples } from './config-examples.ts';
import { jsonSchemaOf } from './evaluators.ts';
import { block, page, section } from './markdown.ts';
import { type JsonSchema, type KeyOptions, keySections } from './schema-keys.ts';

interface FileKind {
  readonly title: string;
  readonly purpose: string;
  readonly schema: () => JsonSchema;
  /** Its name for `assay schema`. */
  readonly schemaName?: FileSchemaName;
}

const describedElsewhere: KeyOptions = { pages: { evaluators: 'evaluators.md', gates: 'evaluators.md#gates' } };

const printed = (name: FileSchemaName): Pick<FileKind, 'schema' | 'schemaName'> => ({
  schema: () => fileJsonSchema(name) as JsonSchema,
  schemaName: name,
});

const scenarioFiles: readonly FileKind[] = [
  {
    title: 'Direct calls',
    purpose: 'A scenario that calls a tool directly: a function, a program, an HTTP endpoint or an MCP tool.',
    ...printed('scenario'),
  },
  {
    title: 'CLI tools used by an agent',
    purpose: 'A scenario in which a coding agent does a task with a CLI tool.',
    ...printed('cli-tool'),
  },
  {
    title: 'Conversations',
    purpose: 'A scenario that talks to a conversational agent behind a connector.',
    ...printed('conversation'),
  },
  {
    title: 'MCP servers',
    purpose: 'Test suites and workflows for an MCP server.',
    ...printed('mcp-server'),
  },
  {
    title: 'Judge protocol',
    purpose: 'The input of `assay score judge`: recorded results and boolean criteria.',
    ...printed('judge'),
  },
];

const scripts: readonly FileKind[] = [
  {
    title: 'Scripted agents',
    purpose: 'The file that `agents.<name>.script` of the config names: steps for an agent of the kind `scripted`.',
    schema: () => jsonSchemaOf(agentScriptSchema),
  },
  {
    title: 'Scripted models',
    purpose: 'The file that `assay fake-model` serves: rules that answer requests.',
    schema: () => jsonSchemaOf(modelScriptSchema),
  },
];

const config: FileKind = {
  title: 'Config file',
  purpose:
    '`assay.config.{yaml,yml,json,jsonc,toml,ts,js}` in the project folder. `${VAR}` in a string is replaced from the environment. An unknown key is an error with a suggestion.',
  ...printed('config'),
};

const attackSuites: FileKind = {
  title: 'Own suites',
  purpose: 'The file that `assay attack --suites` names: attacks of your own.',
  ...printed('attacks'),
};

/** Every file that users write, with its options. */
export const fileKinds: readonly FileKind[] = [config, ...scenarioFiles, ...scripts, attackSuites];

/** The keys of a file with attacks. */
export function attackSuiteKeys(): string {
  return fileSection(attackSuites);
}

/** Parts that scenario files have too. */
const describedInScenarios: KeyOptions = {
  examples: configExamples,
  pages: {
    toolLoop: 'scenario-keys.md#user',
    target: 'scenario-keys.md#target',
    transform: '../guides/conversations.md',
    'agents.gateway': '#gateway',
    'rules.judge': 'scenario-keys.md#judge',
    'rules.evaluators': 'evaluators.md',
    'rules.match': '#collect',
  },
};

export const fileKeyOptions = (kind: FileKind): KeyOptions =>
  kind === config ? describedInScenarios : describedElsewhere;

export function configPage(): string {
  return page(config.title, config.purpose, printHint(config), keySections(config.schema(), 2, describedInScenarios));
}

export function scenarioFilesPage(): string {
  return page(
    'Scenario files: keys',
    'The keys of every scenario format. What they are for is explained in [scenario files](scenarios.md).',
    ...scenarioFiles.map(fileSection),
  );
}

export function scriptsPage(): string {
  return page(
    'Scripted agents and models: keys',
    'Scripts replace an agent or a model in tests that must give the same result each time.',
    ...scripts.map(fileSection),
  );
}

function fileSection(kind: FileKind): string {
  return section(2, kind.title, kind.purpose, printHint(kind), keySections(kind.schema(), 3, fileKeyOptions(kind)));
}

function printHint({ schemaName }: FileKind): string {
  return schemaName === undefined ? '' : `The JSON Schema for editors:\n\n${block('sh', `assay schema ${schemaName}`)}`;
}
