import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AssayError } from '../../../domain/errors.ts';
import { shellQuoted } from '../../../shared/shell-words.ts';
import type { ShimProbes } from '../../interposer/choose-shim.ts';
import { coverOf, isReadable } from '../../interposer/cover.ts';
import { FileStates } from '../../interposer/file-states.ts';
import { type RealProgram, standInProgram } from '../../interposer/stand-in.ts';
import { writeExecutables } from '../../interposer/write-executables.ts';
import type { RecordedProgram } from '../../recorder/recorder.ts';
import type { CoveredFile } from '../../workspace/isolated-folders.ts';
import { type CliControl, ControlledCalls } from './cli-control.ts';
import { ControlSocket } from './control-socket.ts';

/** Addresses of sockets must be short, so longer folders are replaced by one of our own. */
const longestFolderBytes = 80;

const changedStandIn = 'the stand-in of the tool was changed or removed, so calls may have reached the real tool';

interface StandInRequest {
  /** Absolute, fresh and empty: everything of the stand-ins lives in it. */
  readonly folder: string;
  /** A program with an empty path is the first of its name on PATH. */
  readonly tools: readonly RecordedProgram[];
  /** Whether files can lie over the real programs. */
  readonly canCover: boolean;
  readonly shims: ShimProbes;
  readonly control: CliControl;
}

/** Programs that are called in place of the programs under test, and do what the control of the trial decides. */
export interface StandIns extends AsyncDisposable {
  /** The stand-ins, by the names of the real programs. */
  readonly programs: readonly RecordedProgram[];
  /** Contains the stand-ins, to be put first on PATH. */
  readonly binFolder: string;
  /** Must be covered before anything that lies inside. */
  readonly coveredFirst: readonly CoveredFile[];
  /** Lead from the real programs to the stand-ins. */
  readonly coveredLast: readonly CoveredFile[];
  readonly calls: ControlledCalls;
  /** Why calls may have gone another way. */
  readonly problems: readonly string[];
  /** Why nothing can be judged by the calls; usually empty. */
  doubts(): readonly string[];
}

/** Puts a stand-in in front of each program under test, and opens the socket on which they ask. */
export async function openStandIns({
  tools,
  canCover,
  shims,
  control,
  folder: wanted,
}: StandInRequest): Promise<StandIns> {
  const isKept = Buffer.byteLength(wanted) <= longestFolderBytes;
  const folder = await realpath(isKept ? wanted : await mkdtemp(join(tmpdir(), 'assay-control-')));
  const { server } = await shims.choose(folder);
  if (server === undefined) {
    throw new AssayError('TARGET_NOT_LOADED', 'Calls of programs cannot be controlled: this machine has no perl.', {
      hint: 'Install perl, or remove `tools` from the scenario.',
    });
  }
  const { perl } = server;
  const binFolder = join(folder, 'bin');
  const script = join(folder, 'stand-in.pl');
  const socket = join(folder, 'socket');
  const places = tools.map((tool, index) => placeOf(tool, { folder, binFolder, index, perl, canCover }));
  const starters = places.map(({ standIn }, index) => [standIn, startScript(perl, script, index)] as const);
  const text = standInProgram(
    places.map(({ real }) => real),
    socket,
    binFolder,
  );
  const files = Object.assign({ [script]: text, ...Object.fromEntries(starters) }, ...places.map(({ files }) => files));
  await mkdir(join(folder, 'real'), { recursive: true });
  await writeExecutables(files);
  const calls = new ControlledCalls();
  const listening = await ControlSocket.listen(socket, control, calls);
  const states = new FileStates([binFolder, ...Object.keys(files)]);
  return {
    programs: tools.map(({ name }, index) => ({ name, program: places[index]?.standIn ?? '' })),
    binFolder,
    coveredFirst: canCover ? [{ path: folder, by: folder }, ...places.flatMap(({ uncovered }) => uncovered)] : [],
    coveredLast: places.flatMap(({ cover }) => cover),
    calls,
    problems: places.flatMap(({ problem }) => problem ?? []),
    doubts: () => [...calls.doubts, ...(states.areUnchanged() ? [] : [changedStandIn])],
    [Symbol.asyncDispose]: async () => {
      await listening[Symbol.asyncDispose]();
      if (!isKept) await rm(folder, { recursive: true, force: true });
    },
  };
}

interface Surroundings {
  readonly folder: string;
  readonly binFolder: string;
  readonly index: number;
  readonly perl: string;
  readonly canCover: boolean;
}

/** The files of one stand-in, and how it reaches the real program. */
interface StandInPlace {
  readonly standIn: string;
  readonly real: RealProgram;
  readonly files: Readonly<Record<string, string | Buffer>>;
  readonly cover: readonly CoveredFile[];
  /** The real program at another path, because a file lies over its own. */
  readonly uncovered: readonly CoveredFile[];
  readonly problem: string | undefined;
}

function placeOf({ name, program }: RecordedProgram, around: Surroundings): StandInPlace {
  const { folder, binFolder, index, perl, canCover } = around;
  const standIn = join(binFolder, name);
  const byPath = { standIn, real: { name, file: program, words: [name] }, files: {}, cover: [], uncovered: [] };
  const why = 'this isolation cannot put files over others';
  const cover = canCover ? coverOf(program, name, [perl, '/bin/sh'], true) : why;
  const uncontrolled = (reason: string): StandInPlace => ({
    ...byPath,
    problem: `calls of ${name} by its path were not controlled: ${reason}`,
  });
  if (typeof cover === 'string') return uncontrolled(cover);
  const starter = join(folder, 'ways', String(index), cover.starterName);
  const file = join(folder, 'covers', String(index));
  const content = cover.render(starter);
  if (!isReadable(content)) return uncontrolled('the path of the stand-in is too long');
  const { start, path } = cover;
  const wordsBefore = start.by === 'interpreter' && start.hasArgument ? 2 : 1;
  const way = `#!/bin/sh\nshift ${wordsBefore}\nexec ${shellQuoted(standIn)} "$@"\n`;
  const files = { [starter]: way, [file]: content };
  const covered = [{ path, by: file }];
  if (start.by === 'interpreter') {
    const argument = start.hasArgument ? [argumentOf(content)] : [];
    const words = [start.interpreter, ...argument, path];
    return {
      standIn,
      real: { name, file: start.interpreter, words },
      files,
      cover: covered,
      uncovered: [],
      problem: undefined,
    };
  }
  const other = join(folder, 'real', String(index));
  return {
    standIn,
    real: { name, file: other, words: [name] },
    files: { ...files, [other]: '' },
    cover: covered,
    uncovered: [{ path: other, by: path }],
    problem: undefined,
  };
}

/** The argument that the first line of a script gives to its interpreter. */
function argumentOf(script: string | Buffer): string {
  const [line = ''] = script.toString('latin1').split('\n', 1);
  return line.slice(line.indexOf(' ') + 1).trim();
}

/** Perl must not complain about the locale of the caller where the program is expected to print. */
function startScript(perl: string, script: string, index: number): string {
  return `#!/bin/sh\nPERL_BADLANG=0 exec ${shellQuoted(perl)} ${shellQuoted(script)} ${index} "$@"\n`;
}
