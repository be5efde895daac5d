import { randomUUID } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { GraderRequest, ScriptEnd } from '../../domain/gate.ts';
import type { EnterSystem } from '../../shared/processes/run-process.ts';
import type { TrialFolders } from './clean-environment.ts';
import { safePath, workEnvironment } from './grader-environment.ts';
import type { IsolatedFolders } from './isolated-folders.ts';
import type { Isolation, TrialSystem } from './isolation.ts';
import { runScript } from './run-script.ts';

type Environment = Readonly<Record<string, string>>;
type View = Pick<IsolatedFolders, 'readable' | 'hidden' | 'writable' | 'seesMachine'>;

const onlyOwner = 0o700;

/** The folders of a room that graders of all kinds share. */
interface RoomFolders extends TrialFolders {
  /** Programs under test that lie in the work directory, by their names. */
  readonly bin: string;
  /** For files that scripts leave as artifacts: the trial's folder has the evidence, and they may run code of the agent. */
  readonly results: string;
}

export function roomFolders(folder: string): RoomFolders {
  return {
    home: join(folder, 'home'),
    tmp: join(folder, 'tmp'),
    bin: join(folder, 'bin'),
    results: join(folder, 'results'),
  };
}

export interface GraderRoomRequest {
  /** Absolute: emptied first. */
  readonly folder: string;
  /** Absolute: the trial's folder, which the agent could write. */
  readonly trialFolder: string;
  /** Absolute: the work directory in it, as the agent left it. */
  readonly directory: string;
  /** Absolute: the folder of the scenario. */
  readonly scenarioFolder: string;
  readonly isolation: Isolation;
  /** Where the agent worked; undefined: on this machine. */
  readonly system?: TrialSystem | undefined;
  readonly network: 'open' | 'none';
  /** The view of graders, and their view while they run the work. */
  readonly view: View;
  readonly viewOfWork: View;
  /** The environment in the work directory, and beside the scenario. */
  readonly env: Environment;
  readonly envBeside: Environment;
  /** Absolute paths of programs under test in the work directory, which graders call by name. */
  readonly programsOfWork: readonly string[];
}

/** Where everything of the scenario's author runs that comes after the agent. */
export class GraderRoom {
  readonly #request: GraderRoomRequest;
  readonly #folders: RoomFolders;
  #worksRun = 0;

  /** To be called when no process of the agent is left. */
  constructor(request: GraderRoomRequest) {
    this.#request = request;
    this.#folders = roomFolders(request.folder);
    empty(request.folder);
    for (const path of Object.values(this.#folders)) mkdirSync(path, { mode: onlyOwner });
    for (const program of request.programsOfWork) this.#writeCaller(program);
  }

  /** Runs one command; everything that it starts ends with it. */
  async run(command: string, request: GraderRequest): Promise<ScriptEnd> {
    const { directory, scenarioFolder } = this.#request;
    const { timeoutMs, signal, stdin = '', place = 'work', runsWork = false } = request;
    const isBeside = place === 'scenario';
    const folders = runsWork ? this.#foldersOfWork() : this.#folders;
    const end = await runScript(
      command,
      {
        cwd: isBeside ? scenarioFolder : directory,
        env: this.#environment(request, folders),
        timeoutMs,
        tag: randomUUID(),
        signal,
        stdin,
      },
      this.#entrance(folders, isBeside, runsWork),
    );
    // Elsewhere a namespace ends with its first process; that of a system lives on.
    if (!isBeside) await this.#request.system?.endProcesses();
    return end;
  }

  #environment({ env: added, place, runsWork }: GraderRequest, folders: TrialFolders): Environment {
    const { env, envBeside, trialFolder, view } = this.#request;
    const given = { ...(place === 'scenario' ? envBeside : env), ...added };
    if (runsWork) return workEnvironment(given, this.#folders, folders);
    return { ...given, PATH: safePath(given.PATH ?? '', trialFolder, view.writable) };
  }

  /** Undefined where the command runs on this machine as it is. */
  #entrance(folders: TrialFolders, isBeside: boolean, runsWork: boolean): EnterSystem | undefined {
    const { isolation, system, view, viewOfWork, directory, scenarioFolder, network } = this.#request;
    // The files of the scenario are not in the system of a trial.
    if (system) return isBeside ? undefined : (argv, env, input) => system.enter(argv, env, input);
    if (!isolation.isNamespaced) return undefined;
    const chosen = runsWork ? viewOfWork : view;
    const isolated: IsolatedFolders = {
      ...chosen,
      directory,
      ...(isBeside && { startsIn: scenarioFolder }),
      home: folders.home,
      tmp: folders.tmp,
      readable: [...(chosen.readable ?? []), this.#folders.bin],
    };
    const wrap = (network === 'none' && isolation.wrapAlone) || isolation.wrap;
    return (argv, env) => ({ argv: wrap(argv, isolated), env, exitsLast: true });
  }

  /** Its own home: what the agent's code leaves in it must not reach the next grader. */
  #foldersOfWork(): TrialFolders {
    const folder = join(this.#request.folder, `work-${++this.#worksRun}`);
    const folders = { home: join(folder, 'home'), tmp: join(folder, 'tmp') };
    for (const path of Object.values(folders)) mkdirSync(path, { recursive: true, mode: onlyOwner });
    return folders;
  }

  /** The folder of a program in the work directory is not on PATH: the agent could have put others beside it. */
  #writeCaller(program: string): void {
    const caller = join(this.#folders.bin, basename(program));
    writeFileSync(caller, `#!/bin/sh\nexec '${program.replaceAll("'", `'\\''`)}' "$@"\n`, { mode: 0o755 });
    chmodSync(caller, 0o755);
  }
}

/** The folder itself stays: it may be mounted somewhere. */
function empty(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: onlyOwner });
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true, force: true });
}
