import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { describe, expect, it } from 'vitest';
import { StoredFiles } from '../../src/keep/bundles/stored-files.ts';
import { openSqlStore } from '../../src/keep/store/open-store.ts';
import { assay } from '../../src/testing/support/assay.ts';
import {
  assayKilledAt,
  canInjectFaults,
  countCalls,
  fileCalls,
  type InjectedKill,
  spread,
} from '../../src/testing/support/injected-faults.ts';
import { storeContents } from '../../src/testing/support/stored-contents.ts';
import { temporaryFolder, writeFiles } from '../../src/testing/support/temporary-folder.ts';

const cases = 400;
const killsPerCall = 3;

const scenario = (criterion: string): string =>
  `name: twice\ncall: { module: ./tool.mjs, export: twice }\ndataset: rows.jsonl\npassCriteria: [${criterion}]\n`;

/** Two runs of a tool with files of the first, a criterion that changed since, and results to import. */
async function project(): Promise<string> {
  const numbers = Array.from({ length: cases }, (_, row) => row);
  const folder = await temporaryFolder({
    'tool.mjs': 'export const twice = ({ a }) => ({ double: 2 * a, padding: String(a).repeat(200) });',
    'rows.jsonl': numbers.map((row) => JSON.stringify({ id: `row-${row}`, input: { a: row } })).join('\n'),
    'results.jsonl': numbers
      .map((row) => JSON.stringify({ case: `row-${row}`, outcome: row % 4 === 0 ? 'failed' : 'passed' }))
      .join('\n'),
    'twice.yaml': scenario('result.double >= 0'),
  });
  for (let run = 0; run < 2; run++) expect((await assay(['run', '--json'], { cwd: folder })).exitCode).toBe(0);
  const { store, db } = await openSqlStore('sqlite:.assay/assay.db', folder);
  await using _open = store;
  const [, oldest] = runsIn(folder, 'assay.db');
  await storeContents(new StoredFiles(db), oldest?.runId ?? '', [Buffer.alloc(600_000, 'a'), Buffer.from('small')]);
  await writeFiles(folder, { 'twice.yaml': scenario(`result.double >= ${cases}`) });
  return folder;
}

interface StoredRun {
  readonly runId: string;
  readonly trials: number;
  readonly passed: number;
  readonly files: number;
}

interface ShownRun {
  readonly runId: string;
  readonly status: string;
}

interface KilledCommand {
  argsOf(folder: string): readonly string[];
  /** The exit code of a start that nothing ends. */
  readonly exitCode: number;
  /** What must be true when it was killed, and of the runs that it had begun. */
  survived(folder: string, label: string): Promise<void>;
  /** What the same command must have made when it was started again. */
  completed(folder: string, label: string): void;
}

const commands: Readonly<Record<string, KilledCommand>> = {
  rescore: {
    argsOf: (folder) => ['score', 'run', runsIn(folder, 'assay.db').at(-1)?.runId ?? ''],
    exitCode: 1,
    survived: (folder, label) => expectInterrupted(folder, 'assay score run r-', label),
    completed: (folder, label) =>
      expect(runsIn(folder, 'assay.db')[0], label).toMatchObject({ trials: cases, passed: cases / 2 }),
  },
  import: {
    argsOf: () => ['import', 'results.jsonl', '--format', 'table', '--columns', 'guessed'],
    exitCode: 0,
    survived: (folder, label) => expectInterrupted(folder, 'assay import results.jsonl', label),
    completed: (folder, label) =>
      expect(runsIn(folder, 'assay.db')[0], label).toMatchObject({ trials: cases, passed: (cases * 3) / 4 }),
  },
  'store copy': {
    argsOf: () => ['store', 'copy', 'sqlite:.assay/assay.db', 'sqlite:.assay/copy.db'],
    exitCode: 0,
    survived: expectNoHalfCopy,
    completed(folder, label) {
      expect(runsIn(folder, 'copy.db'), label).toEqual(runsIn(folder, 'assay.db'));
      expect(contentOf(folder, 'copy.db'), label).toBe(contentOf(folder, 'assay.db'));
    },
  },
};

describe.skipIf(!canInjectFaults)('a command that is killed while it writes a store', () => {
  it.each(Object.entries(commands))(
    'loses and doubles nothing, is never whole by half, and can be started again: %s',
    { timeout: 1_200_000 },
    async (name, command) => {
      const template = await project();
      const before = contentOf(template, 'assay.db');
      const kills = await killsOf(template, command);
      let killed = 0;
      for (const kill of kills) {
        const folder = await copyOf(template);
        const label = `${name}: killed at ${kill.call} no. ${kill.nth}`;
        const args = command.argsOf(folder);
        const { signal, exitCode } = await assayKilledAt(folder, args, kill);
        // The last calls are there only where trials were stored in as many pieces as before.
        if (signal === 'SIGKILL') killed++;
        else expect(exitCode, label).toBe(command.exitCode);
        await command.survived(folder, label);
        const again = await assay(args, { cwd: folder });
        expect(again.exitCode, `${label}: ${again.stderr}`).toBe(command.exitCode);
        command.completed(folder, label);
        expect(contentOf(folder, 'assay.db', runsIn(template, 'assay.db')), label).toBe(before);
        expect(await assay(['store', 'check'], { cwd: folder }), label).toMatchObject({ exitCode: 0 });
        expect((await assay(['clean', '--older-than', '0m'], { cwd: folder })).exitCode, label).toBe(0);
        expect(runsIn(folder, 'assay.db'), label).toEqual([]);
      }
      expect(killed).toBeGreaterThan(12);
    },
  );
});

/** Runs that a killed command began are interrupted, green in no report unless all of their trials are there, and name what to do. */
async function expectInterrupted(folder: string, command: string, label: string): Promise<void> {
  const { stdout, stderr } = await assay(['runs', '--json'], { cwd: folder });
  expect(stderr, label).toBe('');
  const [newest, ...others] = JSON.parse(stdout) as ShownRun[];
  expect(
    others.map(({ status }) => status),
    label,
  ).toEqual(others.map(() => 'finished'));
  if (newest?.status === 'finished') return;
  expect(newest?.status, label).toBe('interrupted');
  const { runId = '' } = newest ?? {};
  const reported = await assay(['report', runId, '--format', 'json', '--output', 'out'], { cwd: folder });
  const isWhole = runsIn(folder, 'assay.db')[0]?.trials === cases;
  expect(isWhole ? [0, 1] : [1, 3], `${label}: ${reported.stderr}`).toContain(reported.exitCode);
  const resumed = await assay(['run', '--resume', runId], { cwd: folder });
  expect(resumed, label).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(command) });
}

/** A run of the copy is complete, with its files, or interrupted; and none is complete before all are there. */
async function expectNoHalfCopy(folder: string, label: string): Promise<void> {
  if (!existsSync(join(folder, '.assay', 'copy.db'))) return;
  const { stdout, exitCode } = await assay(['runs', '--json', '--store', 'sqlite:.assay/copy.db'], { cwd: folder });
  expect(exitCode, label).toBe(0);
  const runs = JSON.parse(stdout) as ShownRun[];
  const [wanted, copied] = [runsIn(folder, 'assay.db'), runsIn(folder, 'copy.db')];
  const complete = runs.filter(({ status }) => status === 'finished');
  for (const { runId } of complete)
    expect(
      copied.find((run) => run.runId === runId),
      label,
    ).toEqual(wanted.find((run) => run.runId === runId));
  if (complete.length > 0) expect(copied, label).toHaveLength(wanted.length);
  expect(
    runs.filter(({ status }) => status !== 'finished' && status !== 'interrupted'),
    label,
  ).toEqual([]);
}

async function killsOf(template: string, { argsOf }: KilledCommand): Promise<InjectedKill[]> {
  const counts = await countCalls(await copyOf(template), argsOf(template));
  return fileCalls.flatMap((call) => spread(counts.get(call) ?? 0, killsPerCall).map((nth) => ({ call, nth })));
}

async function copyOf(template: string): Promise<string> {
  const folder = await temporaryFolder();
  await cp(template, folder, { recursive: true });
  return folder;
}

/** The newest first. */
function runsIn(folder: string, file: string): StoredRun[] {
  return rowsOf(
    folder,
    file,
    `select run_id as runId,
      (select count(*) from trials where trials.run_id = runs.run_id) as trials,
      (select count(*) from trials where trials.run_id = runs.run_id and outcome = 'pass') as passed,
      (select count(*) from run_files where run_files.run_id = runs.run_id) as files
    from runs order by started_at desc, run_id desc`,
  ) as unknown as StoredRun[];
}

/** A hash over what the trials of runs say and over all pieces of files. */
function contentOf(folder: string, file: string, runs = runsIn(folder, file)): string {
  const ids = runs.map(({ runId }) => `'${runId}'`).join(',');
  const trials = rowsOf(
    folder,
    file,
    `select run_id, trial_id, outcome, reason, started_at, duration_ms from trials where run_id in (${ids}) order by trial_id`,
  );
  const pieces = rowsOf(folder, file, 'select chunk_id, hex(body) as body from chunks order by chunk_id');
  return createHash('sha256')
    .update(JSON.stringify([trials, pieces], (_, value) => (typeof value === 'bigint' ? String(value) : value)))
    .digest('hex');
}

function rowsOf(folder: string, file: string, text: string): Record<string, unknown>[] {
  const database = new DatabaseSync(join(folder, '.assay', file));
  try {
    return database
      .prepare(text)
      .all()
      .map((row) => ({ ...(row as Record<string, unknown>) }));
  } finally {
    database.close();
  }
}
