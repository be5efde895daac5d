import { a2aConnector } from './a2a/a2a-connector.ts';
import { aguiConnector } from './ag-ui/ag-ui-connector.ts';
import { commandConnector } from './command.ts';
import type { ConnectorKind } from './connector.ts';
import { httpConnector } from './http/http-connector.ts';
import { langgraphConnector } from './langgraph.ts';
import { mcpAgentConnector } from './mcp-agent.ts';
import { modelConnector } from './model.ts';
import { moduleConnector } from './module.ts';
import { anthropicConnector, openaiChatConnector, openaiResponsesConnector } from './providers.ts';
import { websocketConnector } from './websocket/websocket-connector.ts';

/** Every kind of connector. */
export const connectorKinds: readonly ConnectorKind[] = [
  httpConnector,
  openaiChatConnector,
  openaiResponsesConnector,
  anthropicConnector,
  websocketConnector,
  a2aConnector,
  modelConnector,
  langgraphConnector,
  aguiConnector,
  mcpAgentConnector,
  moduleConnector,
  commandConnector,
];
