import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ShimProbes } from '../interposer/choose-shim.ts';
import { FileStates } from '../interposer/file-states.ts';
import { calledByAgent, callerVariable, type Shim } from '../interposer/shim.ts';
import { makeFoldersOf, writeExecutables } from '../interposer/write-executables.ts';
import type { CoveredFile } from '../workspace/isolated-folders.ts';
import { type CallChannel, FolderChannel, SocketChannel } from './call-channel.ts';
import { CallLog } from './call-log.ts';
import { Endings } from './endings.ts';
import type { Recorder, RecorderRequest } from './recorder.ts';
import { type ShimFiles, shimFiles } from './shim-files.ts';

/** Addresses of sockets and first lines of scripts must be short, so longer folders are replaced by one of our own. */
const longestFolderBytes = 80;

/** Puts a shim in front of each tool under test, which records every call and stays invisible to the caller. */
export async function openRecorder(request: RecorderRequest, given?: Shim): Promise<Recorder> {
  const { tools, onInvocation, endings = new Endings(), shims = new ShimProbes() } = request;
  const isKept = canBeLong(given) || Buffer.byteLength(request.folder) <= longestFolderBytes;
  const folder = isKept ? request.folder : await mkdtemp(join(tmpdir(), 'assay-recorder-'));
  const binFolder = join(folder, 'bin');
  const shim = given ?? (await shims.choose(folder));
  const channelPath = join(folder, shim.server ? 'socket' : 'calls');
  await Promise.all([binFolder, ...(shim.server ? [] : [channelPath])].map((path) => mkdir(path, { recursive: true })));
  const place = { folder, shim, channel: channelPath, canCover: request.canCover };
  const files = tools.map((tool, index) => shimFiles(tool, { ...place, index }));
  const log = new CallLog(onInvocation, endings);
  const channel = await openChannel(channelPath, shim, log, files);
  const states = new FileStates([folder, binFolder, ...files.flatMap(({ contents }) => Object.keys(contents))]);
  return new ShimRecorder({ folder, isOwnFolder: !isKept, binFolder, shim, files, log, channel, states });
}

/** A shim without a server reports to files, and is started by the system's shell. */
function canBeLong(shim: Shim | undefined): boolean {
  return shim !== undefined && shim.server === undefined && shim.starter === undefined;
}

async function openChannel(
  path: string,
  { server }: Shim,
  log: CallLog,
  files: readonly ShimFiles[],
): Promise<CallChannel> {
  const contents: ShimFiles['contents'] = Object.assign({}, ...files.map((each) => each.contents));
  if (server === undefined) {
    await writeExecutables(contents);
    return new FolderChannel(path, log);
  }
  const shims = files.map(({ served }) => served);
  await makeFoldersOf(Object.keys(contents));
  return SocketChannel.open({ socket: path, shims, files: contents, ...server }, log);
}

interface RecorderParts {
  readonly folder: string;
  /** Whether it was made by the recorder, which then removes it. */
  readonly isOwnFolder: boolean;
  readonly binFolder: string;
  readonly shim: Shim;
  readonly files: readonly ShimFiles[];
  readonly log: CallLog;
  readonly channel: CallChannel;
  readonly states: FileStates;
}

/** Calls never wait for this process: their reports go to a server or to files. */
class ShimRecorder implements Recorder {
  readonly binFolder: string;
  readonly covered: readonly CoveredFile[];
  readonly writable: readonly string[];
  readonly #parts: RecorderParts;
  #areFilesWhole = true;
  #isFinished = false;

  constructor(parts: RecorderParts) {
    const { binFolder, folder, files, shim } = parts;
    this.binFolder = binFolder;
    this.#parts = parts;
    // A folder that lies over itself can be made read-only.
    const own = shim.server ? [{ path: folder, by: folder }] : [];
    this.writable = shim.server ? [] : [folder];
    this.covered = [...own, ...files.flatMap(({ cover }) => cover ?? [])];
  }

  get env(): Readonly<Record<string, string>> {
    return this.#parts.shim.server?.checksCallers ? {} : { [callerVariable]: calledByAgent };
  }

  get problems(): readonly string[] {
    const { shim, files, channel } = this.#parts;
    const limits = [shim.limits, ...files.map(({ limit }) => limit)].filter((limit) => limit !== undefined);
    return [...limits, ...channel.problems];
  }

  get doubts(): readonly string[] {
    const changed = 'the shim in front of the tool was changed or removed, so invocations may be missing';
    const { log, channel } = this.#parts;
    return [...(this.#areFilesWhole ? [] : [changed]), ...log.losses, ...channel.doubts];
  }

  async finish(): Promise<void> {
    if (this.#isFinished) return;
    this.#isFinished = true;
    await this.#parts.channel.finish();
    this.#areFilesWhole = this.#parts.states.areUnchanged();
    await this[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isFinished = true;
    const { channel, folder, isOwnFolder } = this.#parts;
    await channel[Symbol.asyncDispose]();
    if (isOwnFolder) await rm(folder, { recursive: true, force: true });
  }
}
