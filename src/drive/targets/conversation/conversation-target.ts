import type { ConnectorKind } from '../../connectors/connector.ts';
import { defineTarget, type TargetKind } from '../target.ts';
import { conversationConfigSchema } from './conversation-config.ts';
import { connectorIssues } from './conversation-issues.ts';

/** An agent behind one of these kinds of connector, talked to by fixed messages or by a persona that a model plays. */
export function conversationTargetWith(kinds: readonly ConnectorKind[]): TargetKind {
  return defineTarget({
    type: 'conversation',
    summary: 'an agent behind a connector, talked to over several turns',
    callKey: null,
    provides: ['turns'],
    configSchema: conversationConfigSchema,
    check: (config, context) => connectorIssues(config, kinds, context),
    async open(config, context) {
      // Most runs hold no conversation, and then none of this need be loaded.
      const { ConversationTarget } = await import('./open-conversation.ts');
      return new ConversationTarget(config, kinds, context);
    },
  });
}
