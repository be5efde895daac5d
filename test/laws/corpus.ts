import { agentReaders } from './agent-readers.ts';
import { connectorReaders } from './connector-readers.ts';
import { gatewayReaders } from './gateway-readers.ts';
import { mcpReaders } from './mcp-readers.ts';
import { providerReaders } from './provider-readers.ts';
import type { Reader } from './reader.ts';

/** Readers that make trials of documents, with documents that real programs wrote. */
export const readers: readonly Reader[] = [
  ...agentReaders,
  ...providerReaders,
  ...connectorReaders,
  ...gatewayReaders,
  ...mcpReaders,
];
