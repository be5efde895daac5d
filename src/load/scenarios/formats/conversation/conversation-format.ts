import type { ScenarioFormat } from '../../scenario-format.ts';
import { looksLikeConversations } from './looks-like-conversation.ts';

/** Conversations with an agent behind a connector: one scenario, or a list of them. */
export const conversationFormat: ScenarioFormat = {
  name: 'conversation',
  recognises: looksLikeConversations,
  async read(source, context) {
    const { readConversation } = await import('./read-conversation.ts');
    return readConversation(source, context);
  },
  async readAll(source, context) {
    // Most projects have no such file, and then none of this need be loaded.
    const { readConversations } = await import('./read-conversation.ts');
    return readConversations(source, context);
  },
};
