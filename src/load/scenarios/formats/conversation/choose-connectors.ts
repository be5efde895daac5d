import { isRecord } from '../../../../shared/json.ts';
import type { DataPath } from '../../../sources/parsed-source.ts';
import { missingKey } from '../llm-tool-test/tolerant-parse.ts';
import { checkedConnector, isAddress, type NamedConnector, readConnector } from './connector-section.ts';
import type { ConversationFile, EvalSection } from './conversation-schema.ts';
import type { Located } from './data-folder.ts';
import { findConnector, findConnectorById, knownConnectorNames, type ReadConnectors } from './known-connectors.ts';
import type { Reading } from './reading.ts';

const connectorHint = 'Add `connector: { type: http, baseUrl: … }`, or name one with --connector or --connector-url.';

/**
 * Which agents a scenario talks to: those asked for on the command line, else those that it names itself, else those of
 * the sets that it belongs to, else the only one that there is.
 */
export function chooseConnectors(
  file: ConversationFile,
  evals: readonly Located<EvalSection>[],
  reading: Reading,
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
  reading: Reading,
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
function readOwn(section: unknown, reading: Reading): ReadConnectors {
  if (section === undefined) return [];
  if (isRecord(section) && Object.keys(section).length > 0)
    return Object.entries(section).map(([name, value]) => readConnector(value, ['connectors', name], name, reading));
  if (Array.isArray(section) && section.length > 0) return readList(section, ['connectors'], [], reading);
  const { source, found } = reading;
  const message = '`connectors` must be an object with connectors by name, or a list of them';
  found.problems.push({ at: source.locate(['connectors']), message });
  return [undefined];
}

function readList(items: readonly unknown[], path: DataPath, own: ReadConnectors, reading: Reading): ReadConnectors {
  const { source, found } = reading;
  const names = new Set<string>();
  if (items.length === 0) found.problems.push({ at: source.locate(path), message: 'this list names no connectors' });
  return items.map((item, index) => {
    const connector = readNamed(item, [...path, index], own, reading);
    if (connector && names.has(connector.name)) {
      const message = `there is another connector named "${connector.name}"`;
      found.problems.push({ at: source.locate([...path, index]), message, hint: 'Give each a `name` of its own.' });
    }
    if (connector) names.add(connector.name);
    return connector;
  });
}

function readNamed(value: unknown, path: DataPath, own: ReadConnectors, reading: Reading): NamedConnector | undefined {
  const isName = typeof value === 'string' && !isAddress(value);
  return isName ? findConnector(value, path, own, reading) : readConnector(value, path, undefined, reading);
}

/** For a scenario that names none: there must be no doubt. */
function usualConnector(reading: Reading): NamedConnector | undefined {
  const { source, defaults, dataFolder, found } = reading;
  const names = knownConnectorNames([], reading);
  const only = names.includes('default') ? 'default' : names.length === 1 ? names[0] : undefined;
  if (only !== undefined) return findConnector(only, [], [], reading);
  if (defaults.connectorUrl !== undefined) {
    const spec = { type: 'http', baseUrl: defaults.connectorUrl, headers: {} };
    return checkedConnector({ name: 'http', spec, source, path: [] }, reading);
  }
  const known = names.map((name) => `\`${name}\``).join(', ');
  const hint = names.length > 0 ? `Name one of ${known}.` : connectorHint;
  // A list of connectors that could not be read may have had it.
  if (dataFolder.problems.length === 0) found.problems.push(missingKey(source, [], 'connector', hint));
  return undefined;
}
