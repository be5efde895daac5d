import { createHash } from 'node:crypto';
import { readFile, rm, stat } from 'node:fs/promises';
import { AssayError } from '../../../domain/errors.ts';
import { decodeText, isModule } from '../../../load/sources/source-file.ts';
import { grouped } from '../../../shared/format.ts';
import type { FileCheck, FileKind, ProjectFile, WriteFile } from '../api/project.ts';
import { Refusal } from '../refusal.ts';
import type { HeavyWork } from '../work/heavy-work.ts';
import { assertKind, type CheckContext, type CheckedText, checkText, kindOfFile } from './check-text.ts';
import { type FilePlace, placeOf } from './file-place.ts';
import { maskText, unmaskText } from './masks.ts';
import { createFile, encodeLike, KeyLocks, lineFeedsOnly, replaceFile } from './write-file.ts';

/** Identifies the content of a file. */
export function revisionOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** A file that was written or deleted, or what it is now where that is not what the request was made from. */
export type Written<Done> = { readonly done: Done } | { readonly current: ProjectFile | null };

const mostBytes = 5_000_000;
/** Characters of a file; other requests would wait for the check of a longer one. */
const mostCheckedHere = 100_000;

interface FilesContext extends CheckContext {
  /** Where large files are checked; without it they are checked at once. */
  readonly heavyWork?: HeavyWork | undefined;
}

/** The files of a project as an editor works on them. */
export class ProjectFiles {
  readonly #folder: string;
  readonly #context: FilesContext;
  readonly #locks = new KeyLocks();

  constructor(folder: string, context: FilesContext) {
    this.#folder = folder;
    this.#context = context;
  }

  async read(path: string): Promise<ProjectFile> {
    const place = await placeOf(this.#folder, path);
    if (!place.isThere) throw new AssayError('FILE_NOT_FOUND', `There is no file "${path}".`);
    return this.#described(place, await readBytes(place));
  }

  async isThere(path: string): Promise<boolean> {
    return (await placeOf(this.#folder, path)).isThere;
  }

  /** Checks a text as if it stood in the file; nothing is written. */
  async check(
    written: Pick<WriteFile, 'kind' | 'text'> & { readonly path: string },
    signal?: AbortSignal,
  ): Promise<FileCheck> {
    await placeOf(this.#folder, written.path);
    return this.#checked(written, signal);
  }

  async #checked(written: CheckedText, signal?: AbortSignal): Promise<FileCheck> {
    const { env, heavyWork, scenariosBesides } = this.#context;
    if (!heavyWork || written.text.length <= mostCheckedHere) return checkText(written, this.#context);
    const others = await scenariosBesides(written.path);
    return heavyWork.run('check', { written, others }, { folder: this.#folder, env }, { signal });
  }

  /** Writes a file as a whole. One that has changed since it was read, or is there when a new one is made, is left alone. */
  async write(path: string, { kind, text, revision }: WriteFile): Promise<Written<ProjectFile>> {
    return this.edit(path, { kind, revision }, async (current) => {
      if (current === undefined) return unmaskText(path, text, []);
      const masked = await maskText(path, current);
      if (!masked) throw new AssayError('USAGE', `"${path}" cannot be written from here: ${hiddenReason}.`);
      return unmaskText(path, text, masked.secrets);
    });
  }

  /** The same for a text that is made from what the file says now, its secrets included; undefined where there is none. */
  async edit(
    path: string,
    { kind, revision }: Pick<WriteFile, 'kind' | 'revision'>,
    make: (current: string | undefined) => Promise<string>,
  ): Promise<Written<ProjectFile>> {
    const place = await this.#writable(path);
    assertKind(path, kind);
    return this.#locks.run(place.absolute, async () => {
      const bytes = await readBytes(place).catch(whenMissing);
      if ((bytes === undefined ? null : revisionOf(bytes)) !== revision) return this.#conflict(place, bytes);
      const text = await make(bytes && decodeText(path, bytes));
      const wanted = encodeLike(text, bytes);
      if (bytes !== undefined) await replaceFile(place.absolute, wanted);
      else if (!(await createFile(place.absolute, wanted))) return this.#conflict(place, await readBytes(place));
      return { done: await this.#described(place, wanted, kind) };
    });
  }

  async delete(path: string, revision: string | null): Promise<Written<null>> {
    const place = await this.#writable(path);
    return this.#locks.run(place.absolute, async () => {
      const bytes = await readBytes(place).catch(whenMissing);
      if (bytes === undefined || revisionOf(bytes) !== revision) return this.#conflict(place, bytes);
      await rm(place.absolute);
      return { done: null };
    });
  }

  async #writable(path: string): Promise<FilePlace> {
    if (isModule(path)) throw new AssayError('USAGE', `"${path}" cannot be written from here: ${moduleReason}.`);
    return placeOf(this.#folder, path);
  }

  async #conflict(place: FilePlace, bytes: Buffer | undefined): Promise<{ readonly current: ProjectFile | null }> {
    return { current: bytes === undefined ? null : await this.#described(place, bytes) };
  }

  async #described({ path }: FilePlace, bytes: Buffer, known?: FileKind): Promise<ProjectFile> {
    const text = decodeText(path, bytes);
    const kind = known ?? (await kindOfFile(path, text));
    const masked = await maskText(path, text);
    const whyNot = isModule(path) ? moduleReason : masked ? null : hiddenReason;
    const { problems } = await this.#checked({ path, kind, text });
    const facts = { path, kind, revision: revisionOf(bytes), problems };
    return { ...facts, text: lineFeedsOnly(masked?.text ?? ''), isEditable: whyNot === null, whyNot };
  }
}

const moduleReason = 'it is a program; edit it where you edit programs';
const hiddenReason = 'it contains a secret that cannot be masked; write ${NAME} instead';

async function readBytes({ path, absolute }: FilePlace): Promise<Buffer> {
  const { size } = await stat(absolute);
  if (size <= mostBytes) return readFile(absolute);
  const message = `"${path}" has ${grouped(size)} bytes; at most ${grouped(mostBytes)} are opened here.`;
  throw new AssayError('USAGE', message, { hint: 'Move its cases to a dataset, or edit it elsewhere.' });
}

function whenMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
  throw error;
}

/** The result, or a refusal with the current file. */
export function doneOrConflict<Done>(written: Written<Done>): Done {
  if ('done' in written) return written.done;
  const { current } = written;
  throw new Refusal(409, 'FILE_CONFLICT', conflictText(current), {
    hint: 'Compare both versions, then keep one of them.',
    details: { current },
  });
}

function conflictText(current: ProjectFile | null): string {
  if (current === null) return 'The file was deleted or moved since it was read.';
  return `${current.path} was changed since it was read.`;
}
