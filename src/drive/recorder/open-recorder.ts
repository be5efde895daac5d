import { type FSWatcher, watch } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { CallLog } from './call-log.ts';
import { CallsFolder, readPlainFile } from './calls-folder.ts';
import { Endings } from './endings.ts';
import type { Recorder, RecorderRequest } from './recorder.ts';
import { chooseShim, writeExecutable } from './shims/choose-shim.ts';
import { calledByAgent, callerVariable, type Shim } from './shims/shim.ts';

/** Puts a shim in front of the tool under test, which records every call and stays invisible to the caller. */
export async function openRecorder(request: RecorderRequest, given?: Shim): Promise<Recorder> {
  const { folder, program } = request;
  const binFolder = join(folder, 'bin');
  const callsFolder = join(folder, 'calls');
  await Promise.all([binFolder, callsFolder].map((path) => mkdir(path, { recursive: true })));
  const shim = given ?? (await chooseShim(folder));
  const name = basename(request.binary);
  const path = join(binFolder, name);
  const text = shim.render({ path, name, program, callsFolder });
  await writeExecutable(path, text);
  return new ShimRecorder(binFolder, callsFolder, { path, text, limits: shim.limits }, request);
}

interface WrittenShim {
  readonly path: string;
  readonly text: string;
  readonly limits: string | undefined;
}

/** Finds calls by watching a folder, so a call never waits for this process, not even when it is dead. */
class ShimRecorder implements Recorder {
  readonly binFolder: string;
  readonly env = { [callerVariable]: calledByAgent };
  readonly #callsFolder: string;
  readonly #shim: WrittenShim;
  readonly #log: CallLog;
  readonly #watcher: FSWatcher | undefined;
  #isShimWhole = true;
  #isFinished = false;

  constructor(
    binFolder: string,
    callsFolder: string,
    shim: WrittenShim,
    { onInvocation, endings = new Endings() }: RecorderRequest,
  ) {
    this.binFolder = binFolder;
    this.#callsFolder = callsFolder;
    this.#shim = shim;
    this.#log = new CallLog(new CallsFolder(callsFolder), onInvocation, endings);
    this.#watcher = watchFolder(callsFolder, (file) => this.#notice(file));
  }

  get problems(): readonly string[] {
    const changed = 'the shim in front of the tool was changed or removed, so invocations may be missing';
    const own = [this.#shim.limits, this.#isShimWhole ? undefined : changed];
    return [...own.filter((problem) => problem !== undefined), ...this.#log.problems];
  }

  async finish(): Promise<void> {
    if (this.#isFinished) return;
    this.#isFinished = true;
    this.#log.reportRest();
    this.#isShimWhole = isFileOf(this.#shim.path, this.#shim.text);
    await this[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isFinished = true;
    this.#watcher?.close();
    // The recorded output may contain secrets.
    await rm(this.#callsFolder, { recursive: true, force: true });
  }

  #notice(file: string): void {
    const call = CallsFolder.endedCall(file);
    if (call !== undefined && !this.#isFinished) this.#log.reportEnded(call);
  }
}

/** Undefined where the machine has no watches left: then all calls are reported when the recorder finishes. */
function watchFolder(path: string, onFile: (name: string) => void): FSWatcher | undefined {
  try {
    const watcher = watch(path, { persistent: false }, (_, name) => onFile(name ?? ''));
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    return undefined;
  }
}

function isFileOf(path: string, text: string): boolean {
  const expected = Buffer.from(text);
  const found = readPlainFile(path, expected.length);
  return found?.bytesLeftOut === 0 && found.bytes.equals(expected);
}
