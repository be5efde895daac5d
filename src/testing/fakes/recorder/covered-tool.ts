import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { IsolationTier } from '../../../domain/isolation-tier.ts';
import { openRecorder } from '../../../drive/recorder/open-recorder.ts';
import type { RecordedInvocation, Recorder } from '../../../drive/recorder/recorder.ts';
import { findIsolation } from '../../../drive/workspace/find-isolation.ts';
import type { Isolation } from '../../../drive/workspace/isolation.ts';
import { ended, type Seen } from './recorded-tool.ts';

const systemPath = '/usr/local/bin:/usr/bin:/bin';

/** Becomes the program that it is given: a script whose neighbour must be found from where it lies. */
const scriptText = `#!/bin/sh
. "$(dirname "$(readlink -f "$0")")/neighbour"
exec "$@"
`;

/** A tool called `tool` as an agent in a tier of isolation finds it: an executable, and a script called `script-tool`. */
export class CoveredTool implements AsyncDisposable {
  readonly folder: string;
  readonly invocations: RecordedInvocation[];
  readonly recorder: Recorder;
  readonly #isolation: Isolation;

  private constructor(folder: string, invocations: RecordedInvocation[], recorder: Recorder, isolation: Isolation) {
    this.folder = folder;
    this.invocations = invocations;
    this.recorder = recorder;
    this.#isolation = isolation;
  }

  static async open(tier: IsolationTier): Promise<CoveredTool> {
    const isolation = await findIsolation(tier);
    const folder = await mkdtemp(join(tmpdir(), 'assay-covered-'));
    for (const name of ['recorder', 'work', 'home', 'tmp', 'opt']) await mkdir(join(folder, name));
    await copyFile('/usr/bin/env', join(folder, 'opt', 'tool'));
    await writeFile(join(folder, 'opt', 'script-tool'), scriptText);
    await writeFile(join(folder, 'opt', 'neighbour'), 'neighbour=found\n');
    await chmod(join(folder, 'opt', 'script-tool'), 0o755);
    const invocations: RecordedInvocation[] = [];
    const recorder = await openRecorder({
      folder: join(folder, 'recorder'),
      tools: ['tool', 'script-tool'].map((name) => ({ name, program: join(folder, 'opt', name) })),
      canCover: isolation.canCover,
      onInvocation: (invocation) => void invocations.push(invocation),
    });
    return new CoveredTool(folder, invocations, recorder, isolation);
  }

  get path(): string {
    return join(this.folder, 'opt', 'tool');
  }

  get socket(): string {
    return join(this.folder, 'recorder', 'socket');
  }

  /** Starts a shell script of the agent. */
  start(script: string): ChildProcess {
    const { folder, recorder } = this;
    const directory = join(folder, 'work');
    const folders = { directory, home: join(folder, 'home'), tmp: join(folder, 'tmp') };
    const readable = [join(folder, 'opt')];
    const mounts = { ...folders, readable, writable: recorder.writable, covered: recorder.covered };
    const [program, ...rest] = this.#isolation.wrap(['/bin/sh', '-c', script], mounts);
    const path = [recorder.binFolder, join(folder, 'opt'), systemPath].join(':');
    const env = { PATH: path, HOME: folders.home, T: this.path, SOCKET: this.socket, ...recorder.env };
    return spawn(program, rest, { cwd: directory, env, stdio: ['ignore', 'pipe', 'pipe'] });
  }

  run(script: string): Promise<Omit<Seen, 'files'>> {
    return ended(this.start(script));
  }

  /** The arguments of all calls that were recorded, in the order of their ends. */
  async recorded(): Promise<string[]> {
    await this.recorder.finish();
    return this.invocations.map(({ argv }) => argv.slice(1).join(' '));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.recorder[Symbol.asyncDispose]();
    await rm(this.folder, { recursive: true, force: true });
  }
}
