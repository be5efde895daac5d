import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Shim } from '../../../drive/interposer/shim.ts';
import { openRecorder } from '../../../drive/recorder/open-recorder.ts';
import type { RecordedInvocation, Recorder } from '../../../drive/recorder/recorder.ts';

/** Prints its environment, or becomes any other program: all that a tool can do, without a line of our own. */
const program = '/usr/bin/env';
const systemPath = '/usr/local/bin:/usr/bin:/bin';

/** Everything that the caller of a program can observe. */
export interface Seen {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly files: Readonly<Record<string, string>>;
}

/** A tool called `tool` with a recorder in front of it, and the same tool without one. */
export class RecordedTool implements AsyncDisposable {
  readonly folder: string;
  readonly invocations: RecordedInvocation[];
  readonly recorder: Recorder;

  private constructor(folder: string, invocations: RecordedInvocation[], recorder: Recorder) {
    this.folder = folder;
    this.invocations = invocations;
    this.recorder = recorder;
  }

  static async open(shim?: Shim): Promise<RecordedTool> {
    const folder = await mkdtemp(join(tmpdir(), 'assay-recorder-'));
    const invocations: RecordedInvocation[] = [];
    const onInvocation = (invocation: RecordedInvocation) => void invocations.push(invocation);
    await mkdir(join(folder, 'bare'));
    await symlink(program, join(folder, 'bare', 'tool'));
    await mkdir(join(folder, 'recorder'));
    const request = {
      folder: join(folder, 'recorder'),
      tools: [{ name: 'tool', program }],
      canCover: false,
      onInvocation,
    };
    return new RecordedTool(folder, invocations, await openRecorder(request, shim));
  }

  get callsFolder(): string {
    return join(this.folder, 'recorder', 'calls');
  }

  get path(): string {
    return join(this.recorder.binFolder, 'tool');
  }

  /** Starts a shell script that can call `tool`. */
  start(script: string, options: SpawnOptions = {}): ChildProcess {
    return spawn('/bin/sh', ['-c', script], { cwd: this.folder, env: this.#env(this.recorder.binFolder), ...options });
  }

  /** Runs a shell script to its end in a fresh folder. */
  async run(script: string, tool: 'recorded' | 'bare' = 'recorded'): Promise<Seen> {
    const cwd = join(this.folder, 'work');
    await mkdir(cwd);
    const env = this.#env(tool === 'bare' ? join(this.folder, 'bare') : this.recorder.binFolder);
    const end = await ended(this.start(script, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] }));
    const files = await readFiles(cwd);
    await rm(cwd, { recursive: true, force: true });
    return { ...end, files };
  }

  #env(binFolder: string): Record<string, string> {
    return { PATH: `${binFolder}:${systemPath}`, HOME: '/nowhere', ...this.recorder.env };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.recorder[Symbol.asyncDispose]();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** The output and exit of a process, after all its streams have closed. */
export function ended(child: ChildProcess): Promise<Omit<Seen, 'files'>> {
  const printed = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  child.stdout?.on('data', (chunk: Buffer) => printed.stdout.push(chunk));
  child.stderr?.on('data', (chunk: Buffer) => printed.stderr.push(chunk));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (exitCode, signal) => {
      const stdout = Buffer.concat(printed.stdout).toString('latin1');
      resolve({ exitCode, signal, stdout, stderr: Buffer.concat(printed.stderr).toString('latin1') });
    });
  });
}

async function readFiles(folder: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.isFile()) found[entry.name] = await readFile(join(folder, entry.name), 'latin1');
  }
  return found;
}
