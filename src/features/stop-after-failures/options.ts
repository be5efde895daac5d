import type { RunOption } from '../../domain/run-options/run-option.ts';

/** Pure: flags, pages and the request of a run are made from it. */
export const stopAfterFailuresOptions = [
  {
    key: 'stopAfterFailures',
    flag: '--stop-after-failures <n>',
    label: 'Stop after failures',
    help: 'begin no further trial once this many have failed; those that run come to their end',
    without: 'all trials run',
    configHelp: 'runs begin no further trial once this many have failed; by default all trials run',
    example: '3',
    value: { kind: 'integer', from: 1, to: 1_000_000 },
    ways: ['cli', 'config', 'api', 'mcp', 'form'],
    commands: ['run', 'attack'],
    keptBy: ['resume', 'again'],
    distributed: true,
    excludes: ['experiment'],
    section: 'How they run',
  },
] as const satisfies readonly RunOption[];
