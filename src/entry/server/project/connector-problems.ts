import type { Problem } from '../../../domain/problem.ts';
import type { ConnectorKind } from '../../../drive/connectors/connector.ts';
import { type ParsedSource, valueAt } from '../../../load/sources/parsed-source.ts';
import { problemsOf } from '../../../load/sources/schema-problems.ts';
import { isRecord } from '../../../shared/json.ts';
import { suggestion } from '../../../shared/suggest.ts';

/** What is wrong with a connector of the config that its kind knows, and the schema of the config does not. */
export function connectorProblems(name: string, source: ParsedSource, kinds: readonly ConnectorKind[]): Problem[] {
  const spec = valueAt(source.value, ['connectors', name]);
  if (!isRecord(spec) || typeof spec.type !== 'string') return [];
  const kind = kinds.find(({ type }) => type === spec.type);
  if (!kind) {
    const types = kinds.map(({ type }) => type);
    const message = `there is no connector type \`${spec.type}\``;
    return [{ at: source.locate(['connectors', name, 'type']), message, hint: suggestion(spec.type, types) }];
  }
  const config = kind.configSchema.safeParse(spec.config ?? {});
  return config.success ? [] : problemsOf(config.error, source, kind.configSchema, ['connectors', name, 'config']);
}
