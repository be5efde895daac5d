import { existsSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { AssayError } from '../../domain/errors.ts';
import { instructionNames } from './instruction-files.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Folders in which rooms of trials may be made, the preferred one first; all exist. */
export function roomBases(env: Environment): string[] {
  const places = [env.TMPDIR, tmpdir(), '/tmp', '/var/tmp', env.XDG_RUNTIME_DIR];
  return [...new Set(places.flatMap((place) => (place === undefined ? [] : realFolder(place))))];
}

/** The first base above which no agent finds instructions, and which no project contains; throws where there is none. */
export function cleanRoomBase(env: Environment, projects: readonly string[]): string {
  const outside = projects.flatMap(realFolder);
  const refusals: string[] = [];
  for (const base of roomBases(env)) {
    const project = outside.find((folder) => isInside(base, folder));
    const found = project === undefined ? instructionsAbove(base) : undefined;
    if (project === undefined && found === undefined) return base;
    refusals.push(found === undefined ? `${base} lies in the project ${project}` : `${found} lies above ${base}`);
  }
  throw new AssayError(
    'WORKSPACE_FAILED',
    `No temporary folder is free of instructions for agents: ${refusals.join('; ')}.`,
    { hint: 'Remove the files, or set TMPDIR to a folder outside the project without such files above it.' },
  );
}

/** A file that agents would read as instructions in a folder or above it. */
function instructionsAbove(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    const name = [...instructionNames, '.git'].find((candidate) => existsSync(join(at, candidate)));
    if (name !== undefined) return join(at, name);
    if (dirname(at) === at) return undefined;
  }
}

/** Whether a path is a folder or lies in it; both are absolute and without links. */
export function isInside(path: string, folder: string): boolean {
  const inside = relative(folder, path);
  return inside !== '..' && !inside.startsWith('../');
}

function realFolder(path: string): string[] {
  try {
    return [realpathSync(path)];
  } catch {
    return [];
  }
}
