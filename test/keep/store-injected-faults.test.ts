import { existsSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { describe, expect, it } from 'vitest';
import { assay, type CommandResult } from '../../src/testing/support/assay.ts';
import {
  assayWithFault,
  canInjectFaults,
  countCalls,
  fileCalls,
  type InjectedFault,
  spread,
} from '../../src/testing/support/injected-faults.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const cases = 400;

/** A project with a run in its store, and a file to import. */
async function projectWithRun(): Promise<string> {
  const rows = Array.from({ length: cases }, (_, row) => JSON.stringify({ id: `row-${row}`, input: { a: row } }));
  const folder = await temporaryFolder({
    'tool.mjs': 'export const twice = ({ a }) => ({ double: 2 * a, padding: String(a).repeat(200) });',
    'rows.jsonl': rows.join('\n'),
    'twice.yaml': [
      'name: twice',
      'call: { module: ./tool.mjs, export: twice }',
      'dataset: rows.jsonl',
      'passCriteria: [result.double >= 0]',
    ].join('\n'),
    'chat.json': JSON.stringify({
      messages: [
        { role: 'user', content: 'Hello' },
        { role: 'assistant', content: 'Hi' },
      ],
    }),
  });
  expect((await assay(['run', '--json'], { cwd: folder })).exitCode).toBe(0);
  return folder;
}

interface Operation {
  readonly args: readonly string[];
  /** What must hold after it succeeded. */
  readonly succeeded: (folder: string, result: CommandResult) => void | Promise<void>;
}

const operations: Readonly<Record<string, Operation>> = {
  run: {
    args: ['run', '--json'],
    succeeded: (folder, { stdout }) => {
      const { runId, trials } = JSON.parse(stdout);
      expect(trials).toHaveLength(cases);
      expect(storedTrials(folder, runId)).toBe(cases);
    },
  },
  import: {
    args: ['import', 'chat.json', '--json'],
    succeeded: (folder, { stdout }) => expect(storedTrials(folder, JSON.parse(stdout).runId)).toBe(1),
  },
  copy: {
    args: ['store', 'copy', 'sqlite:.assay/assay.db', 'sqlite:.assay/copy.db'],
    succeeded: (folder) => expect(counted(folder, 'copy.db')).toEqual(counted(folder, 'assay.db')),
  },
  clean: {
    args: ['clean', '--older-than', '0m'],
    succeeded: (folder) => expect(counted(folder, 'assay.db')).toEqual({ runs: 0, trials: 0 }),
  },
};

describe.skipIf(!canInjectFaults)('a store whose files fail', () => {
  it.each(Object.keys(operations))(
    'is never damaged by a fault in %s, and nothing is lost',
    async (name) => {
      const operation = operations[name];
      if (!operation) return;
      const template = await projectWithRun();
      let injected = 0;
      for (const fault of await faultsFor(template, operation.args)) {
        const folder = await copyOf(template);
        const label = `${name}: ${fault.error} in ${fault.call} no. ${fault.nth}`;
        const result = await assayWithFault(folder, operation.args, fault);
        expect([0, 3], `${label}: ${result.stderr}`).toContain(result.exitCode);
        expect(result.stderr, label).not.toContain('defect of Assay');
        expect(damage(folder), label).toEqual([]);
        if (result.exitCode === 0) await operation.succeeded(folder, result);
        await expectToWork(folder, operation, label);
        injected++;
      }
      expect(injected).toBeGreaterThan(20);
    },
    1_200_000,
  );
});

/** After the fault is over, checking finds nothing wrong and the same operation succeeds. */
async function expectToWork(folder: string, { args, succeeded }: Operation, label: string): Promise<void> {
  const checked = await assay(['store', 'check'], { cwd: folder });
  expect(checked.exitCode, `${label}: ${checked.stdout}${checked.stderr}`).toBe(0);
  const again = await assay(args, { cwd: folder });
  expect(again.exitCode, `${label}: ${again.stderr}`).toBe(0);
  await succeeded(folder, again);
}

async function faultsFor(template: string, args: readonly string[]): Promise<InjectedFault[]> {
  const counts = await countCalls(await copyOf(template), args);
  return fileCalls.flatMap((call) => {
    const errors = call === 'pwrite64' ? (['EIO', 'ENOSPC'] as const) : (['EIO'] as const);
    return spread(counts.get(call) ?? 0, 8).flatMap((nth) => errors.map((error) => ({ call, nth, error })));
  });
}

async function copyOf(template: string): Promise<string> {
  const folder = await temporaryFolder();
  await cp(template, folder, { recursive: true });
  return folder;
}

function damage(folder: string): unknown[] {
  return ['assay.db', 'copy.db']
    .filter((name) => existsSync(join(folder, '.assay', name)))
    .flatMap((name) => query(folder, name, 'pragma integrity_check'))
    .filter((row) => (row as { integrity_check: string }).integrity_check !== 'ok');
}

function storedTrials(folder: string, runId: string): unknown {
  return (query(folder, 'assay.db', `select count(*) as n from trials where run_id = '${runId}'`)[0] as { n: number })
    .n;
}

function counted(folder: string, file: string): unknown {
  return { ...(query(folder, file, countRows)[0] as object) };
}

const countRows = 'select (select count(*) from runs) as runs, (select count(*) from trials) as trials';

function query(folder: string, file: string, text: string): unknown[] {
  const database = new DatabaseSync(join(folder, '.assay', file));
  try {
    return database.prepare(text).all();
  } finally {
    database.close();
  }
}
