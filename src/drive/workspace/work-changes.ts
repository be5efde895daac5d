import { type BytePath, bytePath, fileOf, printablePath } from './byte-path.ts';
import { EventLoopYielder } from './event-loop-yielder.ts';
import { type FileVersion, textOf, unifiedDiff } from './file-diff.ts';
import { comparedBytes, type Entry, lookAt, readFileBytes, type Snapshot, takeSnapshot } from './snapshot.ts';
import type { FileChange } from './workspace.ts';

const listLimit = 2_000;
const diffLimitCharacters = 2 * 1_048_576;

interface Difference {
  readonly path: BytePath;
  readonly change: FileChange['change'];
  readonly before: Entry | undefined;
  readonly after: Entry | undefined;
}

const nothing: Snapshot = { entries: new Map(), isCut: false };

/** Lists the changes in a work directory since a remembered moment. */
export class WorkChanges {
  readonly #directory: string;
  readonly #root: BytePath;
  #before: Snapshot = nothing;
  #losses: readonly string[] = [];

  constructor(directory: string) {
    this.#directory = directory;
    this.#root = bytePath(directory);
  }

  /** Losses of the changes that were found last. */
  get losses(): readonly string[] {
    return this.#losses;
  }

  async remember(): Promise<void> {
    this.#before = await takeSnapshot(this.#directory, { keepsContent: true });
  }

  /** By path; when there are too many, those of files that were there before come first, then the topmost. */
  async changes(): Promise<readonly FileChange[]> {
    const now = await takeSnapshot(this.#directory, { keepsContent: false });
    const found = await this.#differences(now);
    const listed = mostRelevant(found);
    const leftOut = found.length - listed.length;
    this.#losses = [
      ...(leftOut > 0 ? [`${leftOut} more changed files are not listed`] : []),
      ...(now.isCut || this.#before.isCut ? ['the work directory has more files than are compared'] : []),
    ];
    const changes: FileChange[] = [];
    let diffRoom = diffLimitCharacters;
    const yielder = new EventLoopYielder();
    for (const difference of listed) {
      const diff = diffRoom > 0 ? await this.#diff(difference) : null;
      const fits = diff !== null && diff.length <= diffRoom;
      if (fits) diffRoom -= diff.length;
      changes.push(fileChange(difference, fits ? diff : null));
      await yielder.yieldIfDue();
    }
    return changes;
  }

  async #differences(now: Snapshot): Promise<Difference[]> {
    const yielder = new EventLoopYielder();
    const found: Difference[] = [];
    for (const [path, before] of this.#before.entries) {
      const after = now.entries.get(path);
      if (after === undefined) {
        const isUnseen = now.isCut && lookAt(this.#file(path)) !== undefined;
        if (!isUnseen) found.push({ path, change: 'deleted', before, after });
      } else if (this.#isChanged(path, before, after)) found.push({ path, change: 'changed', before, after });
      await yielder.yieldIfDue();
    }
    // Where not everything could be remembered, new files cannot be recognised.
    if (this.#before.isCut) return found;
    for (const [path, after] of now.entries) {
      if (!this.#before.entries.has(path)) found.push({ path, change: 'created', before: undefined, after });
    }
    return found;
  }

  #isChanged(path: BytePath, before: Entry, after: Entry): boolean {
    if (before.kind !== after.kind) return true;
    if (before.kind !== 'file') return before.stamp !== after.stamp;
    if (before.bytes !== after.bytes || before.mode !== after.mode) return true;
    // Times are too coarse to show every change, so they are trusted only where there is nothing better.
    if (before.content === undefined) return before.stamp !== after.stamp;
    return readFileBytes(this.#file(path))?.equals(before.content) !== true;
  }

  async #diff({ path, change, before, after }: Difference): Promise<string | null> {
    if (after?.kind !== 'file' || after.bytes > comparedBytes) return null;
    const now = versionOf(readFileBytes(this.#file(path)), after);
    const then = before?.kind === 'file' ? versionOf(before.content, before) : undefined;
    if (now === undefined || (change === 'changed' && then === undefined)) return null;
    return unifiedDiff(printablePath(path), then, now);
  }

  #file(path: BytePath): Buffer {
    return fileOf(`${this.#root}/${path}`);
  }
}

function versionOf(content: Buffer | undefined, { mode }: Entry): FileVersion | undefined {
  const text = content && textOf(content);
  return text === undefined ? undefined : { text, mode };
}

function fileChange({ path, change, after }: Difference, diff: string | null): FileChange {
  const bytes = after === undefined || after.kind === 'summary' ? null : after.bytes;
  return { path: printablePath(path), change, bytes, diff };
}

function mostRelevant(found: readonly Difference[]): Difference[] {
  const rank = ({ change, path }: Difference): number => (change === 'created' ? path.split('/').length : 0);
  const listed =
    found.length <= listLimit ? [...found] : found.toSorted((a, b) => rank(a) - rank(b)).slice(0, listLimit);
  return listed.sort((a, b) => (a.path < b.path ? -1 : 1));
}
