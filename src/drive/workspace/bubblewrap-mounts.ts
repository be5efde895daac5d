import { existsSync, lstatSync, readlinkSync, realpathSync, rmdirSync, statSync, unlinkSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import type { IsolatedFolders } from './isolated-folders.ts';
import { isInside } from './room-base.ts';

/** Nothing works without these, so no folder that contains one of them is ever hidden. */
const systemFolders = ['/usr', '/bin', '/sbin', '/lib', '/lib64', '/etc', '/dev', '/proc', '/sys', '/nix/store'];

/** Software that was installed for all users, which programs of the system link to. */
const softwareFolders = ['/opt', '/snap'];

/** Settings of the system that are links to other places on some machines: names of hosts, and certificates. */
const linkedSettings = ['/etc/resolv.conf', '/etc/ssl/certs'];

/** The machine's temporary folders, in whose place the trial has its own. */
export const temporaryFolders: readonly string[] = ['/tmp', '/var/tmp'];

export interface Place {
  /** Where it is mounted. */
  readonly path: string;
  readonly kind: 'visible' | 'hidden';
  /** Of a visible place: its path without links. */
  readonly source: string;
}

const hiddenPlace = (path: string): Place => ({ path, kind: 'hidden', source: path });
const visiblePlace = (path: string): Place => ({ path, kind: 'visible', source: path });

/** The part of the machine that a trial sees whatever it declares, from the outside in. */
function machine(isWhole: boolean): Place[] {
  if (isWhole) return [visiblePlace('/'), ...temporaryFolders.map(hiddenPlace)];
  const folders = [...systemFolders, ...softwareFolders].filter((path) => existsSync(path));
  return [hiddenPlace('/'), ...folders.map(visiblePlace)];
}

/** The places of the machine that every trial sees. */
export function systemPlaces(): Place[] {
  return machine(false);
}

/** Mounts for a trial. Later mounts cover earlier ones, so each place comes after those that contain it. */
export function bubblewrapMounts(folders: IsolatedFolders): string[] {
  const { directory, home, tmp, writable, covered = [], startsIn = directory, seesMachine = false } = folders;
  const base = machine(seesMachine);
  const linked = seesMachine ? [] : linkedSettings.flatMap(realPath);
  const places = mountedPlaces({ ...folders, readable: [...linked, ...(folders.readable ?? [])] }, base);
  const empty = [...base.slice(0, 1), ...places].filter(({ kind, path }) => kind === 'hidden' && isFolder(path));
  return [
    ...base.filter(({ kind }) => kind === 'visible').flatMap(({ path }) => systemMount(path)),
    // These lie over those of the machine.
    ...['--dev', '/dev', '--proc', '/proc'],
    ...temporaryFolders.filter(isFolder).flatMap((path) => ['--bind', realpathSync(tmp), path]),
    ...places.flatMap((place) => mountOf(place, tmp)),
    ...[directory, home, tmp, ...writable].flatMap(bindWritable),
    ...covered.flatMap(({ path, by }) => ['--ro-bind', by, path]),
    // An empty file system is memory: it must not be filled.
    ...empty.flatMap(({ path }) => ['--remount-ro', path]),
    ...['--chdir', startsIn],
  ];
}

/** A link of the system, such as that of /bin to /usr/bin, stays one. */
function systemMount(path: string): string[] {
  if (lstatSync(path).isSymbolicLink()) return ['--symlink', readlinkSync(path), path];
  return ['--ro-bind', path, path];
}

/** Places below the machine's temporary folders that mounts need, relative to those. */
export function mountPointsIn(mounts: readonly string[]): string[] {
  const inside = mounts.flatMap((word) => placeInTmp(word) ?? []);
  const places = new Set<string>();
  for (const path of inside) for (let at = path; at !== '.' && !places.has(at); at = dirname(at)) places.add(at);
  return [...places];
}

/** A path in a temporary folder, relative to it. */
function placeInTmp(path: string): string | undefined {
  const around = temporaryFolders.find((folder) => path.startsWith(`${folder}/`));
  return around === undefined ? undefined : relative(around, path);
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
    for (const source of realPath(path).filter(isNotAroundTmp)) {
      byPath.set(source, { path: source, kind: 'visible', source });
      // A link that led to it may be hidden with its folder.
      const named = resolve(path);
      if (!byPath.has(named)) byPath.set(named, { path: named, kind: 'visible', source });
    }
  }
  return nestedPlaces([...byPath.values()], base);
}

/** Places from the outside in, without those that are like the one around them; of two with one path, the last counts. */
export function nestedPlaces(places: readonly Place[], base: readonly Place[]): Place[] {
  const around = [...base];
  const nested: Place[] = [];
  const byPath = new Map(places.map((place) => [place.path, place]));
  for (const place of [...byPath.values()].sort((a, b) => a.path.length - b.path.length)) {
    const outer = around.findLast(({ path }) => isInside(place.path, path));
    if (outer?.kind === place.kind) continue;
    around.push(place);
    nested.push(place);
  }
  return nested;
}

/** Whether a path belongs to the system of the machine, which an image brings itself. */
export function isInSystem(path: string): boolean {
  return systemFolders.some((folder) => isInside(path, folder));
}

function mayBeHidden(path: string): boolean {
  return !systemFolders.some((folder) => isInside(folder, path));
}

/** The trial's own folder for temporary files is never covered by one of the machine. */
function isNotAroundTmp(path: string): boolean {
  return !temporaryFolders.some((folder) => isInside(folder, path));
}

function mountOf({ path, kind, source }: Place, tmp: string): string[] {
  if (kind === 'visible' && source === path) return ['--ro-bind', path, path];
  if (kind === 'visible') return isLinkedInside(tmp, path, source) ? [] : ['--symlink', source, path];
  return isFolder(path) ? ['--tmpfs', path] : ['--ro-bind', '/dev/null', path];
}

/** Whether an earlier process of the trial left the link, which cannot be made twice. */
function isLinkedInside(tmp: string, path: string, source: string): boolean {
  const place = placeInTmp(path);
  if (place === undefined) return false;
  const inTrial = join(tmp, place);
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
