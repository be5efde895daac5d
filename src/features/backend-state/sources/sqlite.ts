import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isRecord } from '../../../shared/json.ts';
import { runProcess } from '../../../shared/processes/run-process.ts';
import { shellWord } from '../../../shared/shell-words.ts';
import type { Snapshot, StatePlace } from '../read-state.ts';
import type { StateConfig } from '../states.ts';

type SqliteState = Pick<Extract<StateConfig, { readonly sqlite: string }>, 'query' | 'absent'>;

const stdoutLimitBytes = 64 * 1_048_576;

/**
 * The rows of a database file. They are read in a separate process: an agent may have written the file, and a view
 * without an end would hold up this one.
 */
export async function readSqlite(
  file: string,
  { query, absent }: SqliteState,
  { env, program, signal }: Pick<StatePlace, 'env' | 'program' | 'signal'>,
): Promise<Snapshot> {
  if (!existsSync(file)) {
    if (absent === 'empty') return { rows: [], keys: [] };
    throw new Error('there is no such database file');
  }
  const argv = [...program, 'sqlite-rows', file, ...(query === undefined ? [] : [query])];
  const end = await runProcess(argv.map(shellWord).join(' '), {
    ...{ cwd: tmpdir(), env: { PATH: env.PATH }, tag: randomUUID(), stdin: '', stdoutLimitBytes, signal },
  });
  signal.throwIfAborted();
  if (end.stdout.truncatedBytes > 0) throw new Error('its rows are too large to be compared');
  const printed: unknown = end.exitCode === 0 ? JSON.parse(end.stdout.text) : undefined;
  if (isRecord(printed) && Array.isArray(printed.rows)) return printed as unknown as Snapshot;
  throw new Error(end.stderr.text.trim().split('\n')[0] || `reading it ended with exit code ${end.exitCode}`);
}
