import { isUtf8 } from 'node:buffer';
import type { TapedBytes, TapedFile, TapeLine } from '../../../domain/tape.ts';
import { mostRecordedBytes } from '../../interposer/stand-in.ts';
import type { RecordedTape } from '../../tape/recorded-tape.ts';
import type { TapeWords } from '../../tape/tape-words.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import type { CliCall } from './cli-call.ts';
import type { CliAnswer, OutputPiece } from './cli-reply.ts';
import { givenFiles } from './given-files.ts';
import { FolderFiles, openForWriting, SharedFolderFiles } from './work-files.ts';

type RunLine = Extract<TapeLine, { kind: 'run' }>;

const mostFiles = 1_000;

/** A call of the real program, as its stand-in saw it. */
interface WatchedEnd {
  readonly pieces: readonly OutputPiece[];
  readonly end: Pick<CliAnswer, 'exitCode' | 'signal'>;
  readonly stdin: { readonly content: Buffer; readonly taken: number; readonly ended: boolean } | undefined;
  /** Empty where all could be recorded. */
  readonly unrecorded: string;
  readonly doubts: readonly string[];
}

/** A call of a real program while it is recorded. */
export interface WatchedRun {
  ended(end: WatchedEnd): void;
  killed(pieces: readonly OutputPiece[]): void;
}

interface OpenRun {
  readonly call: CliCall;
  readonly by: 'script' | undefined;
  readonly given: Readonly<Record<string, string>>;
  readonly files: Map<string, TapedFile>;
  readonly doubts: Set<string>;
  unrecorded: string;
  isOverlapped: boolean;
  fill(line: TapeLine): void;
}

/** Folders of a trial that programs write to. */
export type ProgramFolders = Pick<Workspace, 'directory' | 'home' | 'tmp'>;

/** Records the calls of programs of one trial, and the files that they change in its folders. */
export class CliTape {
  readonly #tape: RecordedTape;
  readonly #words: TapeWords;
  readonly #folders: readonly string[];
  readonly #work: FolderFiles;
  readonly #shared: readonly SharedFolderFiles[];
  readonly #running: OpenRun[] = [];
  /** Adds a doubt to the call that ended last. */
  #doubtLast: (doubt: string) => void = () => undefined;

  constructor(tape: RecordedTape, { directory, home, tmp }: ProgramFolders) {
    this.#tape = tape;
    this.#words = tape.words;
    this.#folders = [directory, home, tmp];
    this.#work = new FolderFiles(directory);
    this.#shared = [new SharedFolderFiles('home', home), new SharedFolderFiles('tmp', tmp)];
  }

  begin(call: CliCall, by?: 'script'): WatchedRun {
    this.#lookAtFolders(this.#running.at(-1));
    const run: OpenRun = {
      call,
      by,
      given: givenFiles(call, this.#folders, this.#words),
      files: new Map(),
      doubts: new Set(),
      unrecorded: call.isText ? '' : 'an argument is not UTF-8',
      isOverlapped: this.#running.length > 0,
      fill: this.#tape.reserve(),
    };
    for (const other of this.#running) other.isOverlapped = true;
    this.#running.push(run);
    return {
      ended: (end) => this.#end(run, end),
      killed: (pieces) => this.#end(run, { pieces, end: undefined, stdin: undefined, unrecorded: '', doubts: [] }),
    };
  }

  #end(run: OpenRun, seen: Omit<WatchedEnd, 'end'> & { readonly end: WatchedEnd['end'] | undefined }): void {
    this.#lookAtFolders(run);
    this.#running.splice(this.#running.indexOf(run), 1);
    if (run.isOverlapped && run.files.size > 0)
      run.doubts.add('another call ran at the same time, and may have changed its files');
    const { tool, argv, cwd, isMerged } = run.call;
    const { stdin, end } = seen;
    const made: Pick<RunLine, 'kind' | 'tool' | 'by' | 'args' | 'cwd'> = {
      kind: 'run',
      tool,
      ...(run.by && { by: run.by }),
      args: [...argv],
      cwd,
    };
    const unrecorded = run.unrecorded || seen.unrecorded;
    const doubts = [...run.doubts, ...seen.doubts];
    const bytes = (content: Buffer): TapedBytes => this.#bytes(content, run);
    const output =
      unrecorded === '' ? merged(seen.pieces).map(({ channel, bytes: piece }) => outputOf(channel, bytes(piece))) : [];
    const line: RunLine = {
      ...made,
      ...(stdin && { stdin: stdinOf(stdin, bytes) }),
      ...(output.length > 0 && { output }),
      ...(isMerged && { isMerged: true }),
      ...(end && (end.signal === undefined ? { exitCode: end.exitCode } : { signal: end.signal })),
      ...(run.files.size > 0 && { files: inOrder([...run.files.values()]) }),
      ...(Object.keys(run.given).length > 0 && { given: run.given }),
      ...(doubts.length > 0 && { doubts }),
    };
    const why = run.unrecorded || unrecorded;
    run.fill(why === '' ? line : { ...made, unrecorded: why });
    this.#doubtLast = (doubt) => {
      if (why === '') run.fill({ ...line, doubts: [...doubts, doubt] });
    };
  }

  /** Changes since the last look belong to the call; without one they are the agent's own. */
  #lookAtFolders(run: OpenRun | undefined): void {
    for (const folder of [this.#work, ...this.#shared]) {
      const changed = folder.changed(run !== undefined);
      if (!run) continue;
      if (changed) this.#keepOwn(run, folder, changed);
      else this.#leaveOut(run, folder, 'there are too many files in it');
    }
    const late = this.#shared.flatMap((folder) => folder.late.splice(0));
    if (late.length > 0) this.#doubtLast(`${late.join(', ')} changed after it ended, which is not recorded`);
  }

  #keepOwn(run: OpenRun, folder: FolderFiles, changed: readonly string[]): void {
    const left = folder.withIdentity(changed, new Set(run.call.outputFiles));
    const own = changed.filter((path) => !left.has(path));
    if (own.length === 0) return;
    const held = folder.withIdentity(own, openForWriting());
    if (held.size > 0) run.doubts.add(`another process was writing to ${[...held].join(', ')}, which is not recorded`);
    const paths = own.filter((path) => !held.has(path));
    const size = [...new Set([...paths, ...run.files.keys()])].reduce((sum, path) => sum + folder.size(path), 0);
    if (size > mostRecordedBytes || paths.length + run.files.size > mostFiles)
      this.#leaveOut(run, folder, 'it changed more than 1 MB or 1000 files');
    else for (const path of paths) this.#keep(run, folder, path);
  }

  #keep(run: OpenRun, folder: FolderFiles, path: string): void {
    const file = folder.read(path);
    if (!file) this.#leaveOut(run, folder, `it left ${path}, which is not a file`);
    else if (file.is === 'file') {
      const { mode = '644', content } = file;
      run.files.set(path, { path, is: 'file', mode, content: this.#bytes(content, run) });
    } else run.files.set(path, { path, ...file });
  }

  /** The work directory is what the task is about; caches and sockets elsewhere need not be replayed for it. */
  #leaveOut(run: OpenRun, folder: FolderFiles, why: string): void {
    if (folder === this.#work) run.unrecorded ||= why;
    else run.doubts.add(`not all of its files outside the work directory are recorded: ${why}`);
  }

  /** A secret in bytes that are not text cannot be masked. */
  #bytes(content: Buffer, run: OpenRun): TapedBytes {
    if (isUtf8(content)) return content.toString('utf8');
    const base64 = content.toString('base64');
    if (this.#words.written([content.toString('latin1'), base64]).isMasked)
      run.unrecorded ||= 'there is a secret in bytes that are not text';
    return { base64 };
  }
}

function stdinOf(
  { content, taken, ended }: NonNullable<WatchedEnd['stdin']>,
  bytes: (content: Buffer) => TapedBytes,
): NonNullable<RunLine['stdin']> {
  return { content: bytes(content), ...(taken < content.length && { taken }), ended };
}

function outputOf(channel: OutputPiece['channel'], piece: TapedBytes): NonNullable<RunLine['output']>[number] {
  return channel === 'stdout' ? { stdout: piece } : { stderr: piece };
}

/** One piece for as long as the channel is the same: where else it was cut is chance. */
function merged(pieces: readonly OutputPiece[]): OutputPiece[] {
  const groups: { readonly channel: OutputPiece['channel']; readonly bytes: Buffer[] }[] = [];
  for (const { channel, bytes } of pieces) {
    const last = groups.at(-1);
    if (last?.channel === channel) last.bytes.push(bytes);
    else groups.push({ channel, bytes: [bytes] });
  }
  return groups.map(({ channel, bytes }) => ({ channel, bytes: Buffer.concat(bytes) }));
}

/** Removals come first, and from the inside out; then folders before what is in them. */
function inOrder(files: readonly TapedFile[]): TapedFile[] {
  const gone = files.filter(({ is }) => is === 'removed').sort((a, b) => (a.path < b.path ? 1 : -1));
  const left = files.filter(({ is }) => is !== 'removed').sort((a, b) => (a.path < b.path ? -1 : 1));
  return [...gone, ...left];
}
