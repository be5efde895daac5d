import { describe, expect, it } from 'vitest';
import { foundServers, type McpServer } from './mcp-page.tsx';

function serverOf(label: string, ...tools: readonly string[]): McpServer {
  return {
    label,
    name: null,
    version: null,
    protocolVersion: null,
    transport: 'stdio',
    file: null,
    connectFile: null,
    lastRunId: null,
    lastSeenAt: null,
    health: { passed: 0, failed: 0, error: 0 },
    coverage: { tested: 0, tools: tools.length },
    tools: tools.map((name) => ({
      name,
      description: null,
      sha256: '0',
      pin: 'same' as const,
      calls: 0,
      errors: 0,
      expectedErrors: 0,
      tests: 0,
      testsPassed: 0,
      medianMs: null,
    })),
  };
}

describe('servers that are looked for', () => {
  const servers = [serverOf('calculator', 'add', 'divide'), serverOf('files', 'read', 'add_folder')];

  it('are all of them where nothing is', () => {
    expect(foundServers(servers, ' ')).toBe(servers);
  });

  it('are found whole by their own name', () => {
    expect(foundServers(servers, 'CALC')).toEqual([servers[0]]);
  });

  it('are found by their tools, and show those', () => {
    const found = foundServers(servers, 'add');
    expect(found.map(({ label, tools }) => [label, tools.map(({ name }) => name)])).toEqual([
      ['calculator', ['add']],
      ['files', ['add_folder']],
    ]);
    expect(foundServers(servers, 'nowhere')).toEqual([]);
  });
});
