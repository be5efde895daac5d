import { lstatSync, readlinkSync, realpathSync, rmdirSync, statSync, unlinkSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import type { IsolatedFolders } from './isolated-folders.ts';
import { isInside } from './room-base.ts';

/** Nothing works without these, so no folder that contains one of them is ever hidden. */
const systemFolders = ['/usr', '/bin', '/sbin', '/lib', '/lib64', '/etc', '/dev', '/proc', '/sys', '/nix/store'];

/** The machine's temporary folder, in whose place the trial has its own. */
const temporaryFolder = '/tmp';

interface Place {
  /** Where it is mounted. */
  readonly path: string;
  readonly kind: 'visible' | 'hidden';
  /** Of a visible place: its path without links. */
  readonly source: string;
}

/** All is visible except for the temporary folder. */
const machine: readonly Place[] = [
  { path: '/', kind: 'visible', source: '/' },
  { path: temporaryFolder, kind: 'hidden', source: '' },
];

/** Mounts for a trial. Later mounts cover earlier ones, so each place comes after those that contain it. */
export function bubblewrapMounts(folders: IsolatedFolders): string[] {
  const { directory, home, tmp, writable, covered = [], startsIn = directory } = folders;
  const places = mountedPlaces(folders, machine);
  const empty = places.filter(({ kind, path }) => kind === 'hidden' && isFolder(path));
  return [
    ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc'],
    ...['--bind', realpathSync(tmp), temporaryFolder],
    ...places.flatMap((place) => mountOf(place, tmp)),
    ...[directory, home, tmp, ...writable].flatMap(bindWritable),
    ...covered.flatMap(({ path, by }) => ['--ro-bind', by, path]),
    // An empty file system is memory: it must not be filled.
    ...empty.flatMap(({ path }) => ['--remount-ro', path]),
    ...['--chdir', startsIn],
  ];
}

/** Places below the machine's /tmp that mounts need, relative to it. */
export function mountPointsIn(mounts: readonly string[]): string[] {
  const inside = mounts.filter((word) => word.startsWith(`${temporaryFolder}/`));
  const places = new Set<string>();
  for (const path of inside) {
    for (let at = relative(temporaryFolder, path); at !== '.' && !places.has(at); at = dirname(at)) places.add(at);
  }
  return [...places];
}

/** Removes the empty files and folders that such places left in the trial's own folder for temporary files. */
export function removeMountPoints(tmp: string, places: Iterable<string>): void {
  const notEmpty = new Set<string>();
  for (const place of [...places].sort((a, b) => b.length - a.length)) {
    if (notEmpty.has(place) || !removeIfEmpty(join(tmp, place))) notEmpty.add(dirname(place));
  }
}

/** False where something is in it. */
function removeIfEmpty(path: string): boolean {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats?.isDirectory()) rmdirSync(path);
    else if (stats?.isSymbolicLink() || stats?.size === 0) unlinkSync(path);
    else return stats === undefined;
    return true;
  } catch {
    return false;
  }
}

/** Visible and hidden places from the outside in; a place that is like the one around it needs no mount. */
export function mountedPlaces({ readable = [], hidden = [] }: IsolatedFolders, base: readonly Place[]): Place[] {
  const byPath = new Map<string, Place>();
  for (const path of hidden.flatMap(realPath).filter(mayBeHidden)) {
    byPath.set(path, { path, kind: 'hidden', source: path });
  }
  for (const path of readable) {
    for (const source of realPath(path)) {
      byPath.set(source, { path: source, kind: 'visible', source });
      // A link that led to it may be hidden with its folder.
      const named = resolve(path);
      if (!byPath.has(named)) byPath.set(named, { path: named, kind: 'visible', source });
    }
  }
  const around = [...base];
  const mounted: Place[] = [];
  for (const place of [...byPath.values()].sort((a, b) => a.path.length - b.path.length)) {
    const outer = around.findLast(({ path }) => isInside(place.path, path));
    if (outer?.kind === place.kind) continue;
    around.push(place);
    mounted.push(place);
  }
  return mounted;
}

/** Whether a path belongs to the system of the machine, which an image brings itself. */
export function isInSystem(path: string): boolean {
  return systemFolders.some((folder) => isInside(path, folder));
}

function mayBeHidden(path: string): boolean {
  return !systemFolders.some((folder) => isInside(folder, path));
}

function mountOf({ path, kind, source }: Place, tmp: string): string[] {
  if (kind === 'visible' && source === path) return ['--ro-bind', path, path];
  if (kind === 'visible') return isLinkedInside(tmp, path, source) ? [] : ['--symlink', source, path];
  return isFolder(path) ? ['--tmpfs', path] : ['--ro-bind', '/dev/null', path];
}

/** Whether an earlier process of the trial left the link, which cannot be made twice. */
function isLinkedInside(tmp: string, path: string, source: string): boolean {
  if (!isInside(path, temporaryFolder)) return false;
  const inTrial = join(tmp, relative(temporaryFolder, path));
  return lstatSync(inTrial, { throwIfNoEntry: false })?.isSymbolicLink() === true && readlinkSync(inTrial) === source;
}

function bindWritable(path: string): string[] {
  return realPath(path).flatMap((real) => ['--bind', real, real]);
}

/** Without links; a missing path cannot be mounted. */
function realPath(path: string): string[] {
  try {
    return [realpathSync.native(path)];
  } catch {
    return [];
  }
}

export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
