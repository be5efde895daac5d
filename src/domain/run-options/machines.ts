import type { RunOption } from './run-option.ts';

const usual = {
  ways: ['cli', 'api'],
  commands: ['run'],
  keptBy: [],
  distributed: true,
  section: 'Several machines',
} as const;

/** Runs whose trials are run by workers. */
export const machineOptions = [
  {
    ...usual,
    key: 'distributed',
    flag: '--distributed',
    help: 'let workers (`assay queue worker`) run the trials; needs a Postgres store',
    value: { kind: 'switch' },
    commands: ['run', 'experiment run'],
    section: 'How they run',
    common: true,
  },
  {
    ...usual,
    key: 'detach',
    flag: '--detach',
    help: 'with --distributed: do not wait; follow with `assay queue watch`',
    value: { kind: 'switch' },
    // A server never waits for workers.
    ways: ['cli'],
    requires: 'distributed',
  },
  {
    ...usual,
    key: 'priority',
    flag: '--priority <n>',
    help: 'with --distributed: run higher priorities first',
    without: '0',
    example: '5',
    value: { kind: 'integer', from: -1_000, to: 1_000 },
    requires: 'distributed',
  },
  {
    ...usual,
    key: 'workerTags',
    flag: '--worker-tags <tags>',
    help: 'with --distributed: only on workers with all of these tags',
    without: 'any worker',
    example: 'gpu',
    value: { kind: 'names' },
    requires: 'distributed',
  },
  {
    ...usual,
    key: 'attempts',
    flag: '--attempts <n>',
    help: 'with --distributed: attempts per trial when workers are lost',
    without: '3',
    example: '3',
    value: { kind: 'integer', from: 1, to: 100 },
    requires: 'distributed',
  },
] as const satisfies readonly RunOption[];
