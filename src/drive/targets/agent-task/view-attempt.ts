import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { folderVariables } from '../../workspace/clean-environment.ts';
import type { IsolatedFolders } from '../../workspace/isolated-folders.ts';
import type { Isolation, SystemEntry } from '../../workspace/isolation.ts';
import type { AgentRun } from './agent-run.ts';
import { chooseVisibleFiles, filesInCommand } from './choose-visible-files.ts';

type Argv = readonly [string, ...string[]];

/** Much more than a program takes to start: on a busy machine it must not count as one that fails. */
const timeoutMs = 20_000;
/** Exit code of engines that could not start a command. */
const engineFailed = 125;

/** A command that is tried in the view of the agent. */
export interface TriedCommand {
  readonly argv: Argv;
  readonly env?: Readonly<Record<string, string>>;
  /** Where it starts, unless in the work directory. */
  readonly cwd?: string | undefined;
  /** For a command that runs until it is ended: its input, and whether it has printed what shows that it works. */
  readonly dialogue?: { readonly input: string; readonly isAnswer: (printed: string) => boolean };
}

interface AttemptEnd {
  /** Undefined where the command was ended by a signal or took too long. */
  readonly exitCode: number | undefined;
  readonly printed: string;
  /** False where the isolation itself failed: mounts of other programs may come and go while it is made. */
  readonly isEntered: boolean;
}

/** A command in the view of the agent, with other folders to write: it must not leave anything for the agent. */
export class ViewAttempt {
  readonly view: IsolatedFolders;
  readonly #command: TriedCommand;
  readonly #env: Readonly<Record<string, string>>;

  constructor(run: AgentRun, command: TriedCommand) {
    const { workspace, room, env } = run;
    const at = (name: string): string => join(room.graderFolder, 'tried', name);
    const own = { directory: at('work'), home: at('home'), tmp: at('tmp') };
    const { readable = [], hidden = [] } = chooseVisibleFiles(run, undefined);
    // A health check may be a script of the project.
    const named = filesInCommand(command.argv[2] ?? '', env.before.PATH ?? '');
    const ofTrial = [workspace.directory, workspace.home];
    const startsIn = command.cwd ?? workspace.directory;
    this.#command = command;
    this.#env = { ...env.before, ...folderVariables(own), ...command.env };
    this.view = { ...own, writable: [], readable: [...readable, ...named, ...ofTrial], hidden, startsIn };
  }

  async in(isolation: Isolation, view: IsolatedFolders): Promise<AttemptEnd> {
    for (const path of [view.directory, view.home, view.tmp]) mkdirSync(path, { recursive: true, mode: 0o700 });
    if (isolation.openSystem) return this.#inSystem(isolation.openSystem, view);
    return this.#run({ argv: isolation.wrap(this.#command.argv, view), env: this.#env });
  }

  /** Mounts of a system cannot be changed, so each view has its own. */
  async #inSystem(open: NonNullable<Isolation['openSystem']>, view: IsolatedFolders): Promise<AttemptEnd> {
    try {
      await using system = await open({ folders: view, hasOwnNetwork: false, imageFolder: view.startsIn ?? false });
      const { dialogue, argv } = this.#command;
      return await this.#run(system.enter(argv, this.#env, dialogue ? undefined : ''));
    } catch {
      return { exitCode: undefined, printed: '', isEntered: false };
    }
  }

  #run({ argv, env }: SystemEntry): Promise<AttemptEnd> {
    const [program, ...args] = argv;
    const { dialogue } = this.#command;
    const options = { env: { ...env }, timeout: timeoutMs, killSignal: 'SIGKILL', cwd: '/' } as const;
    return new Promise((resolve) => {
      let printed = '';
      let hasAnswered = false;
      const child = execFile(program, args, options, (error, _stdout, stderr) => {
        const exitCode = error ? (typeof error.code === 'number' ? error.code : undefined) : 0;
        const isEntered = !stderr.startsWith('bwrap: ') && exitCode !== engineFailed;
        resolve({ exitCode: dialogue ? Number(!hasAnswered) : exitCode, printed: printed.trim(), isEntered });
      });
      child.stdout?.on('data', (text: string) => {
        printed += text;
        hasAnswered ||= dialogue?.isAnswer(printed) ?? false;
        if (hasAnswered) child.kill('SIGKILL');
      });
      // A command that has ended does not read its input.
      child.stdin?.on('error', () => undefined);
      if (dialogue) child.stdin?.write(dialogue.input);
      else child.stdin?.end();
    });
  }
}
