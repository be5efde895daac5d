import { existsSync, realpathSync } from 'node:fs';
import { isFolder, isInSystem, mountedPlaces } from '../workspace/bubblewrap-mounts.ts';
import type { IsolatedFolders } from '../workspace/isolated-folders.ts';

/** Where the first process of a container finds what it waits for. */
export const gateInContainer = '/.assay-gate';

/**
 * Mounts of a container: the folders of the trial at the same paths as on the host, and programs of the host that lie
 * outside the folders of its system, which are those of the image.
 */
export function containerMounts(folders: IsolatedFolders, gate: string): string[] {
  const { directory, home, tmp, writable } = folders;
  const readable = (folders.readable ?? []).filter((path) => !isInSystem(path));
  const places = mountedPlaces({ ...folders, readable }, [{ path: '/', kind: 'hidden', source: '' }]);
  return [
    ...bind(realpathSync(tmp), '/tmp', true),
    ...places.flatMap(({ path, kind, source }) => {
      if (kind === 'visible') return bind(source, path, false);
      return isFolder(path) ? ['--mount', `type=tmpfs,destination=${path}`] : bind('/dev/null', path, false);
    }),
    ...[...new Set([directory, home, tmp, ...writable])]
      .filter((path) => existsSync(path))
      .flatMap((path) => bind(realpathSync(path), path, true)),
    ...bind(gate, gateInContainer, false),
  ];
}

function bind(source: string, target: string, isWritable: boolean): string[] {
  return ['--mount', `type=bind,source=${source},destination=${target}${isWritable ? '' : ',readonly'}`];
}
