import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { endedKey } from '../../domain/ended-key.ts';
import type { RunHeader } from '../../domain/run.ts';
import type { Store } from '../../keep/store/store.ts';
import { programFile } from '../program.ts';

let builtAs: string | undefined;

/** Another program may compute other figures of the same trials. */
function build(): string {
  const file = join(dirname(programFile()), '..', 'dist', 'cli', 'build-id');
  builtAs ??= existsSync(file) ? readFileSync(file, 'utf8').trim() : 'not built';
  return builtAs;
}

/** Columns are for lists of a run; its side, for comparisons, comes with its figures; variants are compared with each other. */
export type SummaryPart = 'columns' | 'side' | 'variants';

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

  /** Parts of a result that are kept before the run has ended: the result has their stamp. */
  static partsOf(runId: string, store: Store, stamp: string): KeptResults {
    return new KeptResults(store, runId, stamp);
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

  /** Marks that all is kept which belongs to a part of the summary of a run. */
  complete(part: SummaryPart): Promise<void> {
    return this.save(`all of ${part}`, true);
  }

  async isComplete(part: SummaryPart): Promise<boolean> {
    return (await this.read<boolean>(`all of ${part}`)) === true;
  }

  save(name: string, result: unknown): Promise<void> {
    return this.#store.saveSummary(this.#runId, name, this.#stamp, serialize(result));
  }
}
