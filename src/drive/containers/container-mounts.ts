import { existsSync, realpathSync } from 'node:fs';
import { isFolder, isInSystem, mountedPlaces } from '../workspace/bubblewrap-mounts.ts';
import type { IsolatedFolders } from '../workspace/isolated-folders.ts';

/** Files by which Assay and the first process of a container hear from each other, and texts that commands read. */
export const inContainer = {
  lifeline: '/.assay-lifeline',
  answers: '/.assay-answers',
  inputs: '/.assay-inputs',
} as const;

/**
 * Mounts of a container: the folders of the trial at the same paths as on the host, and programs of the host that lie
 * outside the folders of its system, which are those of the image. Inner mounts come after those around them.
 */
export function containerMounts(folders: IsolatedFolders, control: Record<keyof typeof inContainer, string>): string[] {
  const { directory, home, tmp, writable, staged = [] } = folders;
  const readable = (folders.readable ?? []).filter((path) => !isInSystem(path));
  const places = mountedPlaces({ ...folders, readable }, [{ path: '/', kind: 'hidden', source: '' }]);
  return [
    ...bind(realpathSync(tmp), '/tmp', true),
    ...staged.flatMap(({ path, source, isWritable }) => bind(source, path, isWritable)),
    ...places.flatMap(({ path, kind, source }) => {
      if (kind === 'visible') return bind(source, path, false);
      return isFolder(path) ? ['--mount', `type=tmpfs,destination=${path}`] : bind('/dev/null', path, false);
    }),
    ...[...new Set([directory, home, tmp, ...writable])]
      .filter((path) => existsSync(path))
      .flatMap((path) => bind(realpathSync(path), path, true)),
    ...bind(control.lifeline, inContainer.lifeline, false),
    ...bind(control.answers, inContainer.answers, true),
    ...bind(control.inputs, inContainer.inputs, false),
  ];
}

function bind(source: string, target: string, isWritable: boolean): string[] {
  return ['--mount', `type=bind,source=${source},destination=${target}${isWritable ? '' : ',readonly'}`];
}
