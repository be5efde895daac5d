import { relative } from 'node:path';
import type { Problem } from '../../../../domain/problem.ts';
import { toolLoopIssues } from '../../../../drive/connectors/tool-loop/tool-loop-config.ts';
import { type ConnectorSpec, placeOf } from '../../../../drive/conversation/conversation-config.ts';
import type { ConfigIssue } from '../../../../drive/targets/target.ts';
import { isRecord, pickedFrom } from '../../../../shared/json.ts';
import { suggestion } from '../../../../shared/suggest.ts';
import type { DataPath, ParsedSource } from '../../../sources/parsed-source.ts';
import { pathText } from '../../../sources/schema-messages.ts';
import { problemsOf } from '../../../sources/schema-problems.ts';
import { missingKey } from '../tolerant-parse.ts';
import { type ConversationFile, connectorSectionSchema, type EvalSection } from './conversation-schema.ts';
import type { ConversationReading, Located } from './data-folder.ts';

/** A connector of a scenario, with its position. */
export interface NamedConnector {
  readonly name: string;
  readonly spec: ConnectorSpec;
  readonly source: ParsedSource;
  readonly path: DataPath;
}

const address = /^[a-z][a-z0-9+.-]*:\/\/\S/i;

/** Whether a text is a URL and not the name of a connector. */
function isAddress(text: string): boolean {
  return address.test(text);
}

/** Reads an inline connector; `name` is the default name. Undefined after a problem was reported. */
function readConnector(
  value: unknown,
  path: DataPath,
  name: string | undefined,
  reading: ConversationReading,
): NamedConnector | undefined {
  const { source, found } = reading;
  if (typeof value === 'string' && isAddress(value)) {
    const type = /^wss?:/i.test(value) ? 'websocket' : 'http';
    const spec: ConnectorSpec = { type, baseUrl: value, headers: {} };
    return checkedConnector({ name: name ?? type, spec, source, path }, reading);
  }
  if (!isRecord(value)) {
    const message = `${pathText(path)} must be a URL or an object with a \`type\``;
    const at = source.locate(path);
    found.problems.push({ at, message, hint: 'Example: `{ type: http, baseUrl: http://localhost:3000/chat }`.' });
    return undefined;
  }
  const parsed = connectorSectionSchema.safeParse(value);
  if (parsed.success) {
    const spec = connectorSpec(parsed.data);
    return checkedConnector({ name: name ?? spec.name ?? spec.type, spec, source, path }, reading);
  }
  found.problems.push(...problemsOf(parsed.error, source, connectorSectionSchema, path));
  return undefined;
}

const specKeys = [
  ...(['type', 'headers', 'name', 'baseUrl', 'reports'] as const),
  ...(['retry', 'toolLoop', 'transform', 'config'] as const),
];

/** The connector without the other fields of a data folder. */
function connectorSpec(fields: ConnectorSpec): ConnectorSpec {
  return pickedFrom({ ...fields, name: fields.name || undefined }, specKeys);
}

/** The connector, if its kind accepts its config. `whose` names one that is defined in another file. */
function checkedConnector(
  connector: NamedConnector,
  reading: ConversationReading,
  whose = '',
): NamedConnector | undefined {
  const problems = [...wrongAddress(connector), ...refusedByKind(connector, reading)];
  reading.found.problems.push(...problems.map((problem) => ({ ...problem, message: `${whose}${problem.message}` })));
  return problems.length > 0 ? undefined : connector;
}

function wrongAddress({ spec: { baseUrl }, source, path }: NamedConnector): Problem[] {
  if (baseUrl === undefined || baseUrl.includes('${')) return [];
  if (isAddress(baseUrl) && URL.canParse(baseUrl)) return [];
  const hint = 'Use a URL that begins with http:// or https://.';
  return [{ at: source.locate([...path, 'baseUrl']), message: `"${baseUrl}" is not a URL`, hint }];
}

/** Keys of a connector that people write into its `config`, and their names there. */
const besideConfig: Readonly<Record<string, string>> = {
  url: 'baseUrl',
  endpoint: 'baseUrl',
  baseUrl: 'baseUrl',
  headers: 'headers',
};

function refusedByKind({ spec, source, path }: NamedConnector, { defaults, context }: ConversationReading): Problem[] {
  const kinds = defaults.connectorKinds;
  if (!kinds) return [];
  const kind = kinds.find(({ type }) => type === spec.type);
  if (!kind) {
    const hint = suggestion(
      spec.type,
      kinds.map(({ type }) => type),
    );
    return [{ at: source.locate([...path, 'type']), message: `Unknown connector type: "${spec.type}"`, hint }];
  }
  const { directory } = placeOf(spec, context);
  const configPath = [...path, 'config'];
  const parsed = kind.configSchema.safeParse(spec.config ?? {});
  if (!parsed.success) {
    const misplaced = Object.keys(spec.config ?? {}).find((key) => key in besideConfig);
    const hint = misplaced && `Write \`${besideConfig[misplaced]}\` beside \`config\`.`;
    const problems = problemsOf(parsed.error, source, kind.configSchema, configPath);
    return problems.map((problem) =>
      hint && problem.message === `unknown key \`${misplaced}\`` ? { ...problem, hint } : problem,
    );
  }
  const located = (issues: readonly ConfigIssue[], under: DataPath): Problem[] =>
    issues.map(({ path: at, ...issue }) => ({ at: source.locate([...under, ...at]), ...issue }));
  return [
    ...located(kind.check?.(parsed.data, { directory }) ?? [], configPath),
    ...located(toolLoopIssues(spec.toolLoop, kind, directory), [...path, 'toolLoop']),
  ];
}

/** Connectors that were read; undefined for one whose problems have been reported. */
type ReadConnectors = readonly (NamedConnector | undefined)[];

/** Position of a connector's name in a file. */
interface Mention {
  readonly source: ParsedSource;
  readonly path: DataPath;
}

/** The connector with this name; of several the one nearest to the scenario. */
function findConnector(
  name: string,
  path: DataPath,
  own: ReadConnectors,
  reading: ConversationReading,
): NamedConnector | undefined {
  const { source, defaults, dataFolder, found } = reading;
  const here = own.find((connector) => connector?.name === name);
  if (here) return here;
  const beside = dataFolder.connectors.map(ofFolder).find((connector) => connector.name === name);
  if (beside) return checkedConnector(beside, reading);
  const spec = Object.hasOwn(defaults.connectors, name) ? defaults.connectors[name] : undefined;
  if (spec)
    return checkedConnector(
      { ...ofConfig(name, spec, reading), source: mentioned(spec, { source, path }) },
      reading,
      `\`connectors.${name}\` of the config: `,
    );
  // An invalid connector may have this name.
  if (own.includes(undefined)) return undefined;
  const names = knownConnectorNames(own, reading);
  const hint =
    names.length > 0
      ? suggestion(name, names)
      : 'Name an entry of `connectors` in the file or in the config; neither has any.';
  found.problems.push({ at: source.locate(path), message: `there is no connector "${name}"`, hint });
  return undefined;
}

/** The connector of the data folder with that id. */
function findConnectorById(
  id: string | number,
  mention: Mention,
  reading: ConversationReading,
): NamedConnector | undefined {
  const connector = reading.dataFolder.connectors.find(({ value }) => String(value.id) === String(id));
  if (connector) return checkedConnector(ofFolder(connector), reading);
  if (reading.dataFolder.problems.length > 0) return undefined;
  reading.found.problems.push({
    at: mention.source.locate(mention.path),
    message: `there is no connector with the id "${id}"`,
    hint: 'Add it to connectors.json beside the scenarios, where connectors with ids are defined.',
  });
  return undefined;
}

/** The names that a scenario can use. */
function knownConnectorNames(own: ReadConnectors, { defaults, dataFolder }: ConversationReading): string[] {
  const here = own.flatMap((connector) => connector?.name ?? []);
  const beside = dataFolder.connectors.map((connector) => ofFolder(connector).name);
  return [...new Set([...here, ...beside, ...Object.keys(defaults.connectors)])];
}

function ofFolder({ value, source }: ConversationReading['dataFolder']['connectors'][number]): NamedConnector {
  return { name: value.name ?? String(value.id), spec: connectorSpec(value), source, path: [] };
}

/** A connector of the config: its paths start from the folder of the config. */
function ofConfig(name: string, spec: ConnectorSpec, { context }: ConversationReading): Omit<NamedConnector, 'source'> {
  const directory = relative(context.directory, context.folder) || undefined;
  return { name, spec: { ...spec, directory }, path: [] };
}

/** Data of the config, with the position of its name in the scenario. */
function mentioned(value: unknown, { source, path }: Mention): ParsedSource {
  const at = source.locate(path);
  return { file: source.file, value, locate: () => at, locateKey: () => at, locateInString: () => at };
}

const connectorHint = 'Add `connector: { type: http, baseUrl: … }`, or name one with --connector or --connector-url.';

/**
 * The connectors of a scenario: those of the command line, else its own, else those of
 * the evals that it belongs to, else the only one.
 */
export function chooseConnectors(
  file: ConversationFile,
  evals: readonly Located<EvalSection>[],
  reading: ConversationReading,
): readonly NamedConnector[] {
  const own = readOwn(file.connectors, reading);
  const chosen = choose(file, own, evals, reading).flatMap((connector) => connector ?? []);
  const connectors = [...new Map(chosen.map((connector) => [connector.name, connector])).values()];
  const { connectorUrl } = reading.defaults;
  if (connectorUrl === undefined) return connectors;
  return connectors.map((connector) => ({ ...connector, spec: { ...connector.spec, baseUrl: connectorUrl } }));
}

function choose(
  file: ConversationFile,
  own: ReadConnectors,
  evals: readonly Located<EvalSection>[],
  reading: ConversationReading,
): ReadConnectors {
  const { defaults, source } = reading;
  const path = ['connectorId'];
  if (defaults.connectorNames) return defaults.connectorNames.map((name) => findConnector(name, [], own, reading));
  if (Array.isArray(file.connector)) return readList(file.connector, ['connector'], own, reading);
  if (file.connector !== undefined) return [readNamed(file.connector, ['connector'], own, reading)];
  if (file.connectors !== undefined) return own;
  if (file.connectorId !== undefined) return [findConnectorById(file.connectorId, { source, path }, reading)];
  const ofEvals = evals.flatMap(({ value: { connectorId }, source: evalSource }) =>
    connectorId === undefined ? [] : [findConnectorById(connectorId, { source: evalSource, path }, reading)],
  );
  return ofEvals.length > 0 ? ofEvals : [usualConnector(reading)];
}

/** The connectors that the file has itself: by name, or a list of connectors and of names. */
function readOwn(section: unknown, reading: ConversationReading): ReadConnectors {
  if (section === undefined) return [];
  if (isRecord(section) && Object.keys(section).length > 0)
    return Object.entries(section).map(([name, value]) => readConnector(value, ['connectors', name], name, reading));
  if (Array.isArray(section) && section.length > 0) return readList(section, ['connectors'], [], reading);
  const { source, found } = reading;
  const message = '`connectors` must be an object with connectors by name, or a list of them';
  found.problems.push({ at: source.locate(['connectors']), message });
  return [undefined];
}

function readList(
  items: readonly unknown[],
  path: DataPath,
  own: ReadConnectors,
  reading: ConversationReading,
): ReadConnectors {
  const { source, found } = reading;
  const names = new Set<string>();
  if (items.length === 0) found.problems.push({ at: source.locate(path), message: 'the list must not be empty' });
  return items.map((item, index) => {
    const connector = readNamed(item, [...path, index], own, reading);
    if (connector && names.has(connector.name)) {
      const message = `duplicate connector name "${connector.name}"`;
      found.problems.push({ at: source.locate([...path, index]), message, hint: 'Give each its own `name`.' });
    }
    if (connector) names.add(connector.name);
    return connector;
  });
}

function readNamed(
  value: unknown,
  path: DataPath,
  own: ReadConnectors,
  reading: ConversationReading,
): NamedConnector | undefined {
  const isName = typeof value === 'string' && !isAddress(value);
  return isName ? findConnector(value, path, own, reading) : readConnector(value, path, undefined, reading);
}

/** For a scenario without a connector: the only one, or the one named `default`. */
function usualConnector(reading: ConversationReading): NamedConnector | undefined {
  const { source, defaults, dataFolder, found } = reading;
  const names = knownConnectorNames([], reading);
  const only = names.includes('default') ? 'default' : names.length === 1 ? names[0] : undefined;
  if (only !== undefined) return findConnector(only, [], [], reading);
  if (defaults.connectorUrl !== undefined) {
    const spec = { type: 'http', baseUrl: defaults.connectorUrl, headers: {} };
    return checkedConnector({ name: 'http', spec, source, path: [] }, reading);
  }
  const choices = names.map((name) => `\`${name}\``).join(', ');
  const hint = names.length > 0 ? `Name one of ${choices}.` : connectorHint;
  // The connector may be in a list that could not be read.
  if (dataFolder.problems.length === 0) found.problems.push(missingKey(source, [], 'connector', hint));
  return undefined;
}
