import { describe, expect, it } from 'vitest';
import { coverageWarnings, toolCoverage } from './tool-coverage.ts';

const offered = [
  { name: 'add', arguments: ['a', 'b'] },
  { name: 'list', arguments: ['limit', 'cursor'] },
  { name: 'ping', arguments: [] },
];

describe('coverage of tools', () => {
  it('adds up what all tests give', () => {
    const uses = [
      { tool: 'add', args: ['a'] },
      { tool: 'add', args: ['b', 'c'] },
      { tool: 'list', args: ['limit'] },
      { tool: 'lst', args: [] },
    ];
    const coverage = toolCoverage(offered, uses);
    expect(coverage).toEqual({
      toolCount: 3,
      coveredCount: 2,
      uncoveredTools: ['ping'],
      uncoveredArguments: { list: ['cursor'] },
      unknownTools: ['lst'],
    });
    expect(coverageWarnings(coverage, offered)).toEqual([
      'The server has no tool "lst", which a test calls. Did you mean `list`?',
      'No test calls 1 of 3 tools: `ping`.',
      'No test gives these arguments: `list.cursor`.',
    ]);
  });

  it('has nothing to say when everything is used', () => {
    const coverage = toolCoverage(
      offered,
      offered.map(({ name: tool, arguments: args }) => ({ tool, args })),
    );
    expect(coverageWarnings(coverage, offered)).toEqual([]);
  });

  it('names no more tools than can be read', () => {
    const many = Array.from({ length: 25 }, (_, index) => ({ name: `tool-${index}`, arguments: [] }));
    const [warning] = coverageWarnings(toolCoverage(many, []), many);
    expect(warning).toMatch(/^No test calls 25 of 25 tools: `tool-0`, .*`tool-19` and 5 more\.$/);
  });
});
