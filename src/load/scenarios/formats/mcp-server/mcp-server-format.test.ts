import { describe, expect, it } from 'vitest';
import { goodConfig } from '../../../../testing/fakes/load/mcp-server-files.ts';
import { looksLikeMcpServer } from './mcp-server-format.ts';

const server = { transport: 'stdio', command: 'node' };

describe('data that is meant as an MCP server with its tests', () => {
  it.each([
    ['everything', goodConfig],
    ['suites', { server, toolHealthSuites: [] }],
    ['workflows', { server, workflows: [] }],
    ['a server of another transport', { server: { transport: 'sse', url: 'http://x' }, workflows: [] }],
    ['suites without a server', { toolHealthSuites: [] }],
    ['suites of an earlier version', { server, oauth2Suites: [] }],
    ['misspelt suites', { server, toolHealthSuits: [] }],
    ['a server that is text', { server: 'node x', resourceSuites: [] }],
    ['nothing but a server', { server, timeout: 5 }],
    ['judge keys and workflows', { workflows: [], llmJudge: true }],
  ])('is recognised: %s', (_about, value) => {
    expect(looksLikeMcpServer(value)).toBe(true);
  });

  it.each([
    ['a call of an MCP tool', { name: 'x', call: { server, tool: 'add' }, input: {}, passCriteria: ['true'] }],
    ['a list', [goodConfig]],
    ['a config of something else', { server: { port: 80 } }],
    ['workflows of something else', { workflows: [{ name: 'build' }] }],
    ['the servers of a desktop program', { mcpServers: { a: server } }],
    ['text', 'toolHealthSuites'],
    ['nothing', null],
  ])('is left to others: %s', (_about, value) => {
    expect(looksLikeMcpServer(value)).toBe(false);
  });
});
