import { suggestion } from '../../shared/suggest.ts';
import type { ConnectorKind } from '../connectors/connector.ts';
import { toolIssues, toolLoopIssues } from '../connectors/tool-loop/tool-loop-config.ts';
import { transformIssues } from '../connectors/transform.ts';
import { type ConfigIssue, defineTarget, type TargetContext, type TargetKind } from '../targets/target.ts';
import {
  attachmentsIn,
  type ConnectorSpec,
  type ConversationConfig,
  conversationConfigSchema,
  placeOf,
} from './conversation-config.ts';

/** Problems of the connectors of a conversation: unknown kinds, and configs that their kind refuses. */
function connectorIssues(
  { connectors }: ConversationConfig,
  kinds: readonly ConnectorKind[],
  context: Pick<TargetContext, 'directory'>,
): ConfigIssue[] {
  return Object.entries(connectors).flatMap(([name, spec]) =>
    issuesOf(spec, kinds, placeOf(spec, context)).map(({ path, ...issue }) => ({
      path: ['connectors', name, ...path],
      ...issue,
    })),
  );
}

/** Problems of attachments that a connector of the conversation cannot send. */
function attachmentIssues(config: ConversationConfig, kinds: readonly ConnectorKind[]): ConfigIssue[] {
  const [first] = attachmentsIn(config);
  if (!first) return [];
  const senders = kinds.filter(({ sendsFiles }) => sendsFiles).map(({ type }) => type);
  return Object.values(config.connectors)
    .filter(({ type }) => !senders.includes(type))
    .map(({ type }) => ({
      path: first.path,
      message: `A connector of the type ${type} cannot send attachments. These types can: ${senders.join(', ')}.`,
    }));
}

/** Problems of the tools of personas. */
function personaIssues({ personas }: ConversationConfig, directory: string): ConfigIssue[] {
  return Object.entries(personas).flatMap(([name, { toolLoop }]) =>
    (toolLoop ? toolIssues(toolLoop, directory) : []).map(({ path, ...issue }) => ({
      path: ['personas', name, 'toolLoop', ...path],
      ...issue,
    })),
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
  const issues = parsed.success ? (kind.check?.(parsed.data, context) ?? []) : parsed.error.issues.map(messageAt);
  const ofTools = toolLoopIssues(spec.toolLoop, kind, context.directory);
  return [
    ...issues.map(({ path, ...issue }) => ({ path: ['config', ...path], ...issue })),
    ...ofTools.map(({ path, ...issue }) => ({ path: ['toolLoop', ...path], ...issue })),
    ...transformIssues(spec.transform, context.directory).map(({ path, ...issue }) => ({
      path: ['transform', ...path],
      ...issue,
    })),
  ];
}

function messageAt({ path, message }: ConfigIssue): ConfigIssue {
  return { path, message };
}

/** One sentence, and what may have been meant. */
export function unknownType(type: string, kinds: readonly ConnectorKind[]): string {
  const types = kinds.map((kind) => kind.type);
  return `Unknown connector type: "${type}". ${suggestion(type, types)}`;
}

/** An agent behind one of these kinds of connector, talked to by fixed messages or by a persona that a model plays. */
export function conversationTargetWith(kinds: readonly ConnectorKind[]): TargetKind {
  return defineTarget({
    type: 'conversation',
    summary: 'an agent behind a connector, talked to over several turns',
    callKey: null,
    provides: ['turns'],
    preparesItself: true,
    configSchema: conversationConfigSchema,
    check: (config, context) => [
      ...connectorIssues(config, kinds, context),
      ...personaIssues(config, context.directory),
      ...attachmentIssues(config, kinds),
    ],
    async open(config, context) {
      // Most runs hold no conversation, and then none of this need be loaded.
      const { ConversationTarget } = await import('./open-conversation.ts');
      return new ConversationTarget(config, kinds, context);
    },
  });
}
