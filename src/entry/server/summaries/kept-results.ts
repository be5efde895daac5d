import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { programFile } from '../../../compose/program.ts';
import type { RunHeader } from '../../../domain/run.ts';
import type { Store } from '../../../keep/store/store.ts';
import { endedKey } from '../bounded-cache.ts';

let builtAs: string | undefined;

/** Another program may compute other figures of the same trials. */
function build(): string {
  const file = join(dirname(programFile()), '..', 'dist', 'cli', 'build-id');
  builtAs ??= existsSync(file) ? readFileSync(file, 'utf8').trim() : 'not built';
  return builtAs;
}

/** The state of a run that a result is of; undefined while it goes on. Trials may be added to a run that has ended. */
async function stampOf(run: RunHeader, store: Store): Promise<string | undefined> {
  const ended = endedKey(run);
  if (ended === undefined) return undefined;
  const cells = await store.countByCell(run.runId);
  const counts = cells.map(({ pass, fail, error, skipped }) => [pass, fail, error, skipped]);
  return JSON.stringify([
    build(),
    ended,
    counts.reduce((sum, one) => sum.map((n, at) => n + (one[at] ?? 0)), [0, 0, 0, 0]),
  ]);
}

/**
 * Results about runs that have ended, kept in the store: the trials of a large run are read once for them, for all who read them
 * and whenever. A result of several runs is kept with the last of them.
 */
export class KeptResults {
  readonly #store: Store;
  readonly #runId: string;
  readonly #stamp: string;

  private constructor(store: Store, runId: string, stamp: string) {
    this.#store = store;
    this.#runId = runId;
    this.#stamp = stamp;
  }

  /** Undefined while one of the runs goes on. */
  static async of(runs: readonly RunHeader[], store: Store): Promise<KeptResults | undefined> {
    const stamps = await Promise.all(runs.map((run) => stampOf(run, store)));
    const last = runs.at(-1);
    if (!last || stamps.includes(undefined)) return undefined;
    return new KeptResults(store, last.runId, stamps.join('\n'));
  }

  /** Undefined where nothing is kept under the name, or it was written by a Node.js that this one cannot read. */
  async read<Result>(name: string): Promise<Result | undefined> {
    const bytes = await this.#store.readSummary(this.#runId, name, this.#stamp);
    try {
      return bytes && (deserialize(bytes) as Result);
    } catch {
      return undefined;
    }
  }

  save(name: string, result: unknown): Promise<void> {
    return this.#store.saveSummary(this.#runId, name, this.#stamp, serialize(result));
  }
}
