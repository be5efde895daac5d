import type { Problem } from '../../../../domain/problem.ts';
import type { ConnectorSpec } from '../../../../drive/targets/conversation/conversation-config.ts';
import { isRecord } from '../../../../shared/json.ts';
import { suggestion } from '../../../../shared/suggest.ts';
import { pathText } from '../../../sources/issue-words.ts';
import type { DataPath, ParsedSource } from '../../../sources/parsed-source.ts';
import { problemsOf } from '../../../sources/schema-problems.ts';
import { connectorSectionSchema } from './conversation-schema.ts';
import type { Reading } from './reading.ts';

/** A connector of a scenario, and where what it is made of is written. */
export interface NamedConnector {
  readonly name: string;
  readonly spec: ConnectorSpec;
  readonly source: ParsedSource;
  readonly path: DataPath;
}

const address = /^[a-z][a-z0-9+.-]*:\/\/\S/i;

/** Whether a text is the address of an agent and not the name of a connector. */
export function isAddress(text: string): boolean {
  return address.test(text);
}

/** Reads a connector that is written out; `name` is for one that has none. Undefined after a problem was told. */
export function readConnector(
  value: unknown,
  path: DataPath,
  name: string | undefined,
  reading: Reading,
): NamedConnector | undefined {
  const { source, found } = reading;
  if (typeof value === 'string' && isAddress(value)) {
    const spec: ConnectorSpec = { type: 'http', baseUrl: value, headers: {} };
    return checkedConnector({ name: name ?? 'http', spec, source, path }, reading);
  }
  if (!isRecord(value)) {
    const message = `${pathText(path)} must be an address or an object with a \`type\``;
    const at = source.locate(path);
    found.problems.push({ at, message, hint: 'Such as `{ type: http, baseUrl: http://localhost:3000/chat }`.' });
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

/** What a connector is made of, without what a data folder keeps beside it. */
export function connectorSpec({
  name,
  type,
  baseUrl,
  reports,
  headers,
  config,
}: Pick<ConnectorSpec, 'type' | 'headers'> & Partial<ConnectorSpec>): ConnectorSpec {
  return {
    type,
    headers,
    ...(name && { name }),
    ...(baseUrl && { baseUrl }),
    ...(reports && { reports }),
    ...(config !== undefined && { config }),
  };
}

/** The connector, if its kind takes it as it is. */
export function checkedConnector(connector: NamedConnector, reading: Reading): NamedConnector | undefined {
  const problems = [...wrongAddress(connector), ...refusedByKind(connector, reading)];
  reading.found.problems.push(...problems);
  return problems.length > 0 ? undefined : connector;
}

function wrongAddress({ spec: { baseUrl }, source, path }: NamedConnector): Problem[] {
  if (baseUrl === undefined || baseUrl.includes('${')) return [];
  if (isAddress(baseUrl) && URL.canParse(baseUrl)) return [];
  const hint = 'An address begins with http:// or https://.';
  return [{ at: source.locate([...path, 'baseUrl']), message: `"${baseUrl}" is not an address`, hint }];
}

function refusedByKind({ spec, source, path }: NamedConnector, { defaults, context }: Reading): Problem[] {
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
  const configPath = [...path, 'config'];
  const parsed = kind.configSchema.safeParse(spec.config ?? {});
  if (!parsed.success) return problemsOf(parsed.error, source, kind.configSchema, configPath);
  const issues = kind.check?.(parsed.data, { directory: context.directory }) ?? [];
  return issues.map((issue) => ({ at: source.locate([...configPath, ...issue.path]), message: issue.message }));
}
