import { anthropicConnector } from './anthropic/anthropic-connector.ts';
import type { ConnectorKind } from './connector.ts';
import { httpConnector } from './http/http-connector.ts';
import { langgraphConnector } from './langgraph/langgraph-connector.ts';
import { mcpAgentConnector } from './mcp-agent/mcp-agent-connector.ts';
import { moduleConnector } from './module/module-connector.ts';
import { openaiChatConnector } from './openai-chat/openai-chat-connector.ts';
import { openaiResponsesConnector } from './openai-responses/openai-responses-connector.ts';

/** Every kind of connector. */
export const connectorKinds: readonly ConnectorKind[] = [
  httpConnector,
  openaiChatConnector,
  openaiResponsesConnector,
  anthropicConnector,
  langgraphConnector,
  mcpAgentConnector,
  moduleConnector,
];
