import { join } from 'node:path';
import { coverOf, isReadable } from '../interposer/cover.ts';
import { wordsBefore } from '../interposer/perl-shim.ts';
import type { ProgramStart, Shim } from '../interposer/shim.ts';
import type { CoveredFile } from '../workspace/isolated-folders.ts';
import type { ServedShim } from './call-server/call-server.ts';
import type { RecordedProgram } from './recorder.ts';

/** The files that stand in front of one tool. */
export interface ShimFiles {
  /** By absolute path. */
  readonly contents: Readonly<Record<string, string | Buffer>>;
  /** The file that lies over the program; undefined where the tool is only found first on PATH. */
  readonly cover: CoveredFile | undefined;
  readonly served: ServedShim;
  /** Why calls by path are not recorded although others can be; undefined where they are, or where none can be. */
  readonly limit: string | undefined;
}

interface ShimPlace {
  readonly folder: string;
  readonly shim: Shim;
  /** Of the tool among those of the trial. */
  readonly index: number;
  readonly channel: string;
  readonly canCover: boolean;
}

/** Decides how a tool is reached by the shim, and writes the shim for it. */
export function shimFiles(tool: RecordedProgram, place: ShimPlace): ShimFiles {
  const cover = place.canCover && place.shim.server ? tryCover(tool, place) : undefined;
  if (cover !== undefined && typeof cover !== 'string') return cover;
  const limit = cover && `calls of ${tool.name} by its path were not recorded: ${cover}`;
  return { ...filesOnPath(tool, place), limit };
}

function tryCover({ name, program }: RecordedProgram, place: ShimPlace): ShimFiles | string {
  const { folder, index, shim, channel } = place;
  const cover = coverOf(program, name, shim.needs, shim.server?.sendmsg !== undefined);
  if (typeof cover === 'string') return cover;
  const { start, path: covered } = cover;
  const own = join(folder, 'shims', String(index));
  const path = join(own, shim.starter ? 'perl-shim' : cover.starterName);
  const starter = join(own, cover.starterName);
  const file = join(folder, 'covers', String(index));
  const isStarter = shim.starter !== undefined && start.by === 'descriptor';
  const started = isStarter ? shim.starter(path) : cover.render(starter);
  if (!isReadable(started)) return 'the path of the shim is too long';
  const text = shim.render({ path, paths: [program, covered], name, program, start, channel });
  const handed = start.by === 'descriptor' ? covered : undefined;
  return {
    contents: { ...(starter !== path && { [starter]: shim.starter?.(path) ?? '' }), [path]: text, [file]: started },
    cover: { path: covered, by: file },
    served: { path, name, wordsBefore: wordsBefore(start, shim.starter !== undefined), program: handed },
    limit: undefined,
  };
}

/** The file on PATH starts the shim at its own place, so the shim is the same however the file is called or copied. */
function filesOnPath({ name, program }: RecordedProgram, place: ShimPlace): Omit<ShimFiles, 'limit'> {
  const { folder, shim, channel, index } = place;
  const path = join(folder, 'bin', name);
  const own = join(folder, 'shims', String(index), 'perl-shim');
  const start: ProgramStart = { by: 'path' };
  const text = shim.render({ path: own, paths: [path], name, program, start, channel });
  const isApart = shim.server?.checksCallers === true;
  const contents = isApart ? { [own]: text, [path]: shim.starter?.(own) ?? `#!${own}\n` } : { [path]: text };
  const served = { path: own, name, wordsBefore: wordsBefore(start, false), program: undefined };
  return { contents, cover: undefined, served };
}
