import { queryOptions } from '@tanstack/react-query';
import type { McpServers } from '../../../src/entry/server/api/mcp.ts';
import type { Workers } from '../../../src/entry/server/api/workers.ts';
import { api } from './api.ts';

const workersRefetchMs = 3_000;

/** The MCP servers that scenarios and stored runs know. */
export function mcpServersQuery() {
  return queryOptions({
    queryKey: ['mcp'],
    queryFn: ({ signal }) => api.get<McpServers>('/mcp', {}, signal),
  });
}

/** Who works on the trials of a shared store, and what waits; looked at again every few seconds. */
export function workersQuery() {
  return queryOptions({
    queryKey: ['workers'],
    queryFn: ({ signal }) => api.get<Workers>('/workers', {}, signal),
    refetchInterval: ({ state }) => (state.data?.isShared === false ? false : workersRefetchMs),
  });
}
