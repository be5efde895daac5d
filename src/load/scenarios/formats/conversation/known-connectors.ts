import { suggestion } from '../../../../shared/suggest.ts';
import type { DataPath, ParsedSource } from '../../../sources/parsed-source.ts';
import { checkedConnector, connectorSpec, type NamedConnector } from './connector-section.ts';
import type { Reading } from './reading.ts';

/** Connectors that were read; undefined stands for one whose problems have been told. */
export type ReadConnectors = readonly (NamedConnector | undefined)[];

/** A place in a file that names a connector. */
interface Mention {
  readonly source: ParsedSource;
  readonly path: DataPath;
}

/** The connector of that name; of several the one that is nearest to the scenario. */
export function findConnector(
  name: string,
  path: DataPath,
  own: ReadConnectors,
  reading: Reading,
): NamedConnector | undefined {
  const { source, defaults, dataFolder, found } = reading;
  const here = own.find((connector) => connector?.name === name);
  if (here) return here;
  const beside = dataFolder.connectors.map(ofFolder).find((connector) => connector.name === name);
  if (beside) return checkedConnector(beside, reading);
  const spec = Object.hasOwn(defaults.connectors, name) ? defaults.connectors[name] : undefined;
  if (spec) return checkedConnector({ name, spec, source: mentioned(spec, { source, path }), path: [] }, reading);
  // One that was not understood may have had this name.
  if (own.includes(undefined)) return undefined;
  const names = knownConnectorNames(own, reading);
  const hint = names.length > 0 ? suggestion(name, names) : 'Neither the file nor the config has connectors.';
  found.problems.push({ at: source.locate(path), message: `there is no connector \`${name}\``, hint });
  return undefined;
}

/** The connector of the data folder with that id. */
export function findConnectorById(id: string | number, mention: Mention, reading: Reading): NamedConnector | undefined {
  const connector = reading.dataFolder.connectors.find(({ value }) => String(value.id) === String(id));
  if (connector) return checkedConnector(ofFolder(connector), reading);
  if (reading.dataFolder.problems.length > 0) return undefined;
  reading.found.problems.push({
    at: mention.source.locate(mention.path),
    message: `there is no connector with the id \`${id}\``,
    hint: 'Connectors are read from the connectors.json beside the scenarios.',
  });
  return undefined;
}

/** The names that a scenario can use. */
export function knownConnectorNames(own: ReadConnectors, { defaults, dataFolder }: Reading): string[] {
  const here = own.flatMap((connector) => connector?.name ?? []);
  const beside = dataFolder.connectors.map((connector) => ofFolder(connector).name);
  return [...new Set([...here, ...beside, ...Object.keys(defaults.connectors)])];
}

function ofFolder({ value, source }: Reading['dataFolder']['connectors'][number]): NamedConnector {
  return { name: value.name ?? String(value.id), spec: connectorSpec(value), source, path: [] };
}

/** What the config says, as a source whose every part stands where the scenario names it. */
function mentioned(value: unknown, { source, path }: Mention): ParsedSource {
  const at = source.locate(path);
  return { file: source.file, value, locate: () => at, locateKey: () => at, locateInString: () => at };
}
