import { describe, expect, it } from 'vitest';
import type { CheckReport } from '../check-report.ts';
import { checkFormats } from './index.ts';

const hostile = 'line\u001B[31m\n# heading | <script>alert(1)</script>';
const report: CheckReport = {
  schema: 'assay.mcp-check/1',
  server: {
    label: 'node server.mjs',
    name: 'weather',
    version: '1.0.0',
    transport: 'stdio',
    protocolVersion: '2025-11-25',
    sdk: null,
    capabilities: ['tools'],
    instructions: null,
  },
  startedAt: '2026-01-01T00:00:00.000Z',
  durationMs: 1_234,
  seed: 1,
  incomplete: null,
  counts: { tools: 2, resources: 0, resourceTemplates: 0, prompts: 1 },
  definitionTokens: 1_500,
  contextCost: {
    tokenizer: 'estimate of o200k_base',
    error: 'within 7 %',
    clients: [
      {
        client: 'anthropic',
        form: 'tools',
        tokens: 1_500,
        instructionsTokens: 0,
        tools: [
          { name: 'get_weather', tokens: 1_400 },
          { name: 'delete_city', tokens: 100 },
        ],
      },
      {
        client: 'claude-code',
        form: 'mcp__weather__get_weather',
        tokens: 1_560,
        instructionsTokens: 40,
        tools: [
          { name: 'get_weather', tokens: 1_410 },
          { name: 'delete_city', tokens: 110 },
        ],
      },
    ],
  },
  ambiguity: null,
  tools: [
    {
      name: 'get_weather',
      pin: 'a'.repeat(64),
      readOnly: true,
      calledFor: 'annotations',
      leftOut: null,
      cutShort: null,
      calls: 5,
      ok: 4,
      refused: 1,
      probes: 6,
      latencyMs: { p50: 1.2, p95: 30, max: 31 },
      largestOutputBytes: 2_048,
      arguments: { total: 2, tried: 1 },
    },
    {
      name: 'delete_city',
      pin: 'b'.repeat(64),
      readOnly: false,
      calledFor: null,
      leftOut: 'it is not marked read-only',
      cutShort: null,
      calls: 0,
      ok: 0,
      refused: 0,
      probes: 0,
      latencyMs: null,
      largestOutputBytes: null,
      arguments: { total: 0, tried: 0 },
    },
  ],
  features: [{ name: 'prompts', tried: 3, ok: 2, leftOut: null }],
  coverage: { called: 1, total: 2 },
  totals: { error: 1, warning: 2, info: 0, notice: 0 },
  problems: [
    {
      id: 'server-failed',
      severity: 'error',
      summary: 'The server ended',
      why: 'The session is lost.',
      fix: 'Catch it.',
      clause: null,
      attributedTo: null,
      tools: ['get_weather'],
      place: null,
      message: hostile,
    },
    ...['get_weather', 'delete_city'].map((tool) => ({
      id: 'argument-untyped',
      severity: 'warning' as const,
      summary: 'No type',
      why: 'Models guess.',
      fix: 'Give a type.',
      clause: null,
      attributedTo: null,
      tools: [tool],
      place: 'inputSchema.properties.city',
      message: '`city` may be anything.',
    })),
  ],
  baseline: { file: 'pins.json', state: 'same', changes: [] },
  conformance: { state: 'left-out', reason: 'the suite speaks streamable HTTP' },
};

function rendered(name: string, changes: Partial<CheckReport> = {}, width = 120): string {
  const format = checkFormats.find((candidate) => candidate.name === name);
  return format?.render({ ...report, ...changes }, { color: false, width }) ?? '';
}

describe('the report for people', () => {
  it('says what was called, what is wrong, why and what to do', () => {
    const text = rendered('console');
    expect(text).toContain('weather 1.0.0');
    expect(text).toMatch(/get_weather +5 +4 +1 +6 +1\.2 +30 +31 +2,048 +aaaaaaaaaaaa/);
    expect(text).toContain('1 of 2 tools called');
    expect(text).toContain('delete_city: it is not marked read-only');
    expect(text).toContain('get_weather, delete_city: `city` may be anything. (inputSchema.properties.city)');
    expect(text).toContain('fix: Give a type.');
    expect(text).toContain('everything is as in pins.json');
    expect(text).toContain('left out: the suite speaks streamable HTTP');
    expect(text).toContain('✗ 1 error, 2 warnings, 0 infos');
  });

  it('shows the tokens of each tool for each kind of client, and how they were counted', () => {
    const text = rendered('console');
    expect(text).toMatch(/tokens +anthropic +claude-code\n {2}get_weather +1,400 +1,410\n {2}delete_city +100 +110\n/);
    expect(text).toMatch(
      /instructions +0 +40\n {2}in all +1,500 +1,560\n +Counted as estimate of o200k_base; within 7 %/,
    );
    expect(rendered('markdown')).toContain('| get\\_weather | 1,400 | 1,410 |');
    expect(rendered('console', { tools: [], contextCost: null })).not.toContain('anthropic');
  });

  it('lets no server steer the terminal', () => {
    expect(rendered('console')).not.toContain('\u001B');
  });

  it('fits narrow terminals', () => {
    const lines = rendered('console', {}, 60).split('\n');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(60);
  });

  it('says when the check could not be finished', () => {
    expect(rendered('console', { incomplete: 'it is gone' })).toContain('could not be finished: it is gone');
  });
});

describe('the report as a page', () => {
  it('has the tools as a table and the problems by severity', () => {
    const text = rendered('markdown');
    expect(text).toContain('# MCP check: weather');
    expect(text.indexOf('## ERROR')).toBeLessThan(text.indexOf('## WARNING'));
    expect(text).toContain('| get\\_weather | 5 | 4 | 1 | 6 | 1.2 | 30 | 31 | 2,048 | aaaaaaaaaaaa |');
    expect(text).not.toContain('## NOTE');
  });

  it('lets no server write markup', () => {
    const text = rendered('markdown');
    expect(text).not.toContain('<script>');
    expect(text).not.toMatch(/^# heading/m);
  });
});

describe('the report as data', () => {
  it('is the report itself in JSON', () => {
    expect(JSON.parse(rendered('json'))).toEqual(report);
  });

  it('is what SARIF 2.1.0 asks for', () => {
    const log = JSON.parse(rendered('sarif'));
    expect(log).toMatchObject({ version: '2.1.0', $schema: expect.stringContaining('sarif-schema-2.1.0') });
    const [run] = log.runs;
    expect(run.tool.driver.rules.map(({ id }: { id: string }) => id)).toEqual(['server-failed', 'argument-untyped']);
    expect(run.results).toHaveLength(3);
    for (const result of run.results) {
      expect(run.tool.driver.rules[result.ruleIndex].id).toBe(result.ruleId);
      expect(['error', 'warning', 'note', 'none']).toContain(result.level);
      expect(result.message.text.length).toBeGreaterThan(0);
      const [location] = result.locations;
      const { uri, index } = location.physicalLocation.artifactLocation;
      expect(run.artifacts[index].location.uri).toBe(uri);
      expect(() => new URL(uri)).not.toThrow();
      expect(location.logicalLocations[0]).toMatchObject({ kind: 'function' });
    }
    expect(run.results[1].locations[0].logicalLocations[0]).toEqual({
      name: 'get_weather',
      kind: 'function',
      fullyQualifiedName: 'weather/get_weather/inputSchema.properties.city',
    });
    expect(run.invocations[0].executionSuccessful).toBe(true);
  });

  it('says in SARIF that a check could not be finished', () => {
    const [run] = JSON.parse(rendered('sarif', { incomplete: 'it is gone' })).runs;
    expect(run.invocations[0]).toMatchObject({ executionSuccessful: false });
    expect(run.invocations[0].toolExecutionNotifications[0].message.text).toBe('it is gone');
  });
});
