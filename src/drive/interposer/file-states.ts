import { lstatSync } from 'node:fs';

/** The state of files when they were made. To change, move or replace one also changes a time that the kernel keeps. */
export class FileStates {
  readonly #states: ReadonlyMap<string, string>;

  constructor(paths: readonly string[]) {
    this.#states = new Map(paths.map((path) => [path, stateOf(path)]));
  }

  /** Also false where a file was changed and is again as it was. */
  areUnchanged(): boolean {
    return [...this.#states].every(([path, state]) => stateOf(path) === state);
  }
}

/** The time of the last change cannot be set by a process, unlike the time of the last modification. */
function stateOf(path: string): string {
  const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return stat === undefined ? 'missing' : `${stat.dev}:${stat.ino}:${stat.mode}:${stat.size}:${stat.ctimeNs}`;
}
