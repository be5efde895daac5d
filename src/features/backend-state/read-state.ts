import { realpath } from 'node:fs/promises';
import { isAbsolute, resolve } from 'node:path';
import { AssayError } from '../../domain/errors.ts';
import type { StateRow } from '../../domain/state-change.ts';
import type { PreparedWork } from '../../drive/targets/target.ts';
import { findWorkFile } from '../../score/evaluators/gates/work-file.ts';
import { expandVariables, unsetVariables } from '../../shared/variables.ts';
import type { StateConfig } from './states.ts';

/** A state at one moment. */
export interface Snapshot {
  readonly rows: readonly StateRow[];
  /** By which each row is the same one, where the source knows it; undefined for a row without. */
  readonly keys?: readonly (string | undefined)[] | undefined;
}

/** Where a state is read. */
export interface StatePlace {
  /** Absolute: the folder of the scenario. */
  readonly directory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Starts this Assay. */
  readonly program: readonly [string, ...string[]];
  readonly signal: AbortSignal;
  /** Undefined where the trial has no work directory. */
  readonly work: Pick<PreparedWork, 'directory' | 'run'> | undefined;
}

/** More rows than a comparison is for. */
const mostRows = 100_000;

/** Rows of a state as it is now; throws where it cannot be read, also for reasons that pass. */
export async function readState(state: StateConfig, place: StatePlace): Promise<Snapshot> {
  const limit = AbortSignal.any([place.signal, AbortSignal.timeout(state.timeoutSecs * 1_000)]);
  try {
    const snapshot = await readSource(state, { ...place, signal: limit });
    if (snapshot.rows.length > mostRows) throw new Error(`it has more than ${mostRows} rows`);
    return snapshot;
  } catch (error) {
    if (place.signal.aborted) throw new AssayError('INTERRUPTED', 'The run was stopped while a state was read.');
    if (limit.aborted) throw new Error(`it did not end within ${state.timeoutSecs} seconds`);
    throw error;
  }
}

/** Each source is loaded when it is needed. */
async function readSource(state: StateConfig, place: StatePlace): Promise<Snapshot> {
  if ('sqlite' in state) {
    const { readSqlite } = await import('./sources/sqlite.ts');
    return readSqlite(await pathOf(state.sqlite, state, place), state, place);
  }
  if ('postgres' in state) {
    const { readPostgres } = await import('./sources/postgres.ts');
    return readPostgres(expanded(state.postgres, place), state.query, place.signal);
  }
  if ('url' in state) {
    const { readUrl } = await import('./sources/http.ts');
    const headers = Object.entries(state.headers).map(([name, text]) => [name, expanded(text, place)]);
    return readUrl(expanded(state.url, place), Object.fromEntries(headers), state.rows, place);
  }
  if ('command' in state) {
    const { readCommand } = await import('./sources/command.ts');
    return readCommand(state, place);
  }
  const { readFolder } = await import('./sources/folder.ts');
  return readFolder(await pathOf(state.folder, state, place), state, place.signal);
}

/** Absolute. What an agent may have written is never followed out of its work directory. */
async function pathOf(
  written: string,
  { place: from }: { readonly place: 'scenario' | 'work' },
  place: StatePlace,
): Promise<string> {
  const path = expanded(written, place);
  if (from === 'scenario') return resolve(place.directory, path);
  const { work } = place;
  if (!work) throw new Error('the trial has no work directory; leave out `place: work`');
  if (isAbsolute(path)) throw new Error('the path is absolute; leave out `place: work`');
  // One that is not there yet may be read as empty; a link in its place may not.
  return findWorkFile(work.directory, path).then(
    (found) => found.path,
    async (error: Error) => {
      if (!error.message.includes('does not exist') || error.message.includes('is a link')) throw error;
      return resolve(await realpath(work.directory), path);
    },
  );
}

function expanded(text: string, { env }: StatePlace): string {
  const unset = unsetVariables(text, env);
  if (unset.length > 0) throw new Error(`it needs ${unset.join(', ')}, which is not set`);
  return expandVariables(text, env);
}
