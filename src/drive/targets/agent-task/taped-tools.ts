import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { AssayError } from '../../../domain/errors.ts';
import type { ScriptEnd } from '../../../domain/gate.ts';
import { sha256 } from '../../../shared/ids.ts';
import type { ShimProbes } from '../../interposer/choose-shim.ts';
import { type ReplayedTape, staleTapeHint, type TrialTape } from '../../tape/tool-tapes.ts';
import { scriptControl, type TapedPrograms } from '../../tool-control/cli/cli-control.ts';
import { CliReplay } from '../../tool-control/cli/cli-replay.ts';
import { CliTape, type ProgramFolders } from '../../tool-control/cli/cli-tape.ts';
import { openStandIns, type StandIns } from '../../tool-control/cli/open-stand-ins.ts';
import { withPath } from './trial-environment.ts';

const digestLength = 16;
/** Of a shell that did not find a command. */
const notFoundExitCode = 127;

/** The tools of a trial whose calls are recorded or replayed: those of the agent, and those of scripts and gates. */
export class TapedTools {
  readonly tape: TrialTape;
  /** How the agent's calls of programs are recorded or answered. */
  readonly programs: TapedPrograms;
  readonly #digests = new Map<string, string | undefined>();
  readonly #absent = new Set<string>();
  #scripts: StandIns | undefined;
  #isKept = false;

  constructor(tape: TrialTape, folders: ProgramFolders) {
    this.tape = tape;
    if (tape.kind === 'replay') {
      const differenceOf = (tool: string, recorded: string | undefined) => this.#differenceOf(tool, recorded);
      this.programs = { replay: new CliReplay({ tape, workDirectory: folders.directory, differenceOf }) };
      return;
    }
    this.programs = { tape: new CliTape(tape, folders) };
    tape.include({
      hasBegun: true,
      conclude: () =>
        [...this.#digests].map(([tool, digest]) => ({ kind: 'program' as const, tool, ...(digest && { digest }) })),
    });
  }

  /** Puts stand-ins in front of the programs for scripts and gates, which call them by name. */
  async standIn(names: readonly string[], folder: string, shims: ShimProbes): Promise<void> {
    await mkdir(folder, { recursive: true });
    const tools = names.map((name) => ({ name, program: '' }));
    this.#scripts = await openStandIns({
      folder,
      tools,
      canCover: false,
      shims,
      control: scriptControl(this.programs),
    });
  }

  /** The environment of scripts and gates. */
  forScripts<Env extends Readonly<Record<string, string>>>(env: Env): Env {
    return this.#scripts ? withPath(env, [this.#scripts.binFolder]) : env;
  }

  /** Why the end of a script or gate means nothing; undefined where it counts. */
  faultAfter({ exitCode }: Pick<ScriptEnd, 'exitCode'>): AssayError | undefined {
    const ofCall = this.#scripts?.calls.fault;
    const [absent] = this.#absent;
    if (ofCall || absent === undefined || exitCode !== notFoundExitCode) return ofCall;
    const message = `A script or gate did not find a program, and "${absent}" is not installed.`;
    return new AssayError('TOOL_REPLAY_MISS', message, { hint: 'Call it by its name: then a recording answers.' });
  }

  /** To be called with the programs when they were found. */
  learn(name: string, program: string): void {
    const digest = this.#absent.has(name) ? undefined : digestOf(program);
    this.#digests.set(name, digest);
    if (this.tape.kind === 'replay' && this.tape.rules.match !== 'loose') refuseOther(this.tape, name, digest);
  }

  /** To be called with the name of a program that is not installed. */
  miss(name: string): void {
    this.#absent.add(name);
  }

  /** To be called when the agent has done its work: a trial that was given up before leaves no recording. */
  keep(): void {
    this.#isKept = true;
  }

  /** To be called when nothing will call a tool any more: gates may have done so. */
  async conclude(): Promise<void> {
    await this.#scripts?.[Symbol.asyncDispose]();
    if (this.#isKept) await this.tape.conclude();
  }

  #differenceOf(tool: string, recorded: string | undefined): string | undefined {
    const installed = this.#digests.get(tool);
    if (installed === undefined) return `"${tool}" is not installed, and a call of it is not recorded`;
    if (recorded === undefined || recorded === installed) return undefined;
    return `The installed "${tool}" is not the recorded one, so its answers cannot be mixed`;
  }
}

/** Answers of another program say nothing about the installed one. */
function refuseOther({ lines }: ReplayedTape, name: string, installed: string | undefined): void {
  const recorded = lines.find((line) => line.kind === 'program' && line.tool === name);
  if (recorded?.kind !== 'program' || !recorded.digest || !installed || recorded.digest === installed) return;
  const message = `The installed "${name}" is not the one that was recorded at ${recorded.place}.`;
  throw new AssayError('TOOL_REPLAY_MISS', message, { hint: staleTapeHint });
}

/** Undefined for a program that is not installed. */
function digestOf(program: string): string | undefined {
  try {
    return sha256(readFileSync(program, 'latin1')).slice(0, digestLength);
  } catch {
    return undefined;
  }
}
