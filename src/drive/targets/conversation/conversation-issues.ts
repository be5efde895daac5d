import { suggestion } from '../../../shared/suggest.ts';
import type { ConnectorKind } from '../../connectors/connector.ts';
import type { ConfigIssue, TargetContext } from '../target.ts';
import type { ConnectorSpec, ConversationConfig } from './conversation-config.ts';

/** What is wrong with the connectors of a conversation: kinds that do not exist, and configs that their kind refuses. */
export function connectorIssues(
  { connectors }: ConversationConfig,
  kinds: readonly ConnectorKind[],
  context: Pick<TargetContext, 'directory'>,
): ConfigIssue[] {
  return Object.entries(connectors).flatMap(([name, spec]) =>
    issuesOf(spec, kinds, context).map(({ path, message }) => ({ path: ['connectors', name, ...path], message })),
  );
}

function issuesOf(
  spec: ConnectorSpec,
  kinds: readonly ConnectorKind[],
  context: Pick<TargetContext, 'directory'>,
): readonly ConfigIssue[] {
  const kind = kinds.find(({ type }) => type === spec.type);
  if (!kind) return [{ path: ['type'], message: unknownType(spec.type, kinds) }];
  const parsed = kind.configSchema.safeParse(spec.config ?? {});
  const issues = parsed.success ? (kind.check?.(parsed.data, context) ?? []) : parsed.error.issues;
  return issues.map(({ path, message }) => ({ path: ['config', ...path], message }));
}

/** One sentence, and what may have been meant. */
export function unknownType(type: string, kinds: readonly ConnectorKind[]): string {
  const known = kinds.map((kind) => kind.type);
  return `Unknown connector type: "${type}". ${suggestion(type, known)}`;
}
