import { mcpLog, mcpTraceOf } from '../../src/testing/fakes/mcp/mcp-log-corpus.ts';
import { atFixedTimes, oneTrial, type Reader } from './reader.ts';

/** Messages between an agent and a server, as the proxy between them logs them. */
const proxyReader: Reader = {
  name: 'mcp-proxy',
  documents: [
    {
      name: 'session',
      text: `${mcpLog.join('\n')}\n`,
      read: async (text) => oneTrial(atFixedTimes(mcpTraceOf(text.replace(/\n$/, '').split('\n')))),
    },
  ],
};

/** Readers of sessions with MCP servers. */
export const mcpReaders: readonly Reader[] = [proxyReader];
