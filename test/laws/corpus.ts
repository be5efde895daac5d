import { agentReaders } from './agent-readers.ts';
import { calledReaders } from './called-readers.ts';
import { codecReaders } from './codec-readers.ts';
import { connectorReaders } from './connector-readers.ts';
import { gatewayReaders } from './gateway-readers.ts';
import { mcpClientReaders } from './mcp-client-readers.ts';
import { mcpReaders } from './mcp-readers.ts';
import { providerReaders } from './provider-readers.ts';
import type { Reader } from './reader.ts';

/** Readers that make trials of documents, with documents that real programs wrote. */
export const readers: readonly Reader[] = [
  ...agentReaders,
  ...providerReaders,
  ...codecReaders,
  ...connectorReaders,
  ...gatewayReaders,
  ...mcpReaders,
  ...mcpClientReaders,
  ...calledReaders,
];
