import { realpathSync } from 'node:fs';
import type { IsolatedFolders, Isolation } from './isolation.ts';
import { initOf } from './namespace-init.ts';

/** The machine read-only, the trial's folders writable, processes and /tmp of its own; the network is kept. */
export function bubblewrapIsolation(bwrap: string): Isolation {
  return {
    tier: 'bubblewrap',
    isNamespaced: true,
    wrap: (argv, folders) => [bwrap, ...mounts(folders), ...lifetime, '--', ...initOf(argv)],
  };
}

const lifetime = ['--unshare-pid', '--as-pid-1', '--die-with-parent'];

/** Later mounts lie over earlier ones, so that folders inside the machine's /tmp show up in the trial's own. */
function mounts({ directory, home, tmp, writable, readable = [] }: IsolatedFolders): string[] {
  return [
    ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc'],
    ...['--bind', realpathSync(tmp), '/tmp'],
    ...readable.flatMap((path) => bind('--ro-bind', path)),
    ...[directory, home, tmp, ...writable].flatMap((path) => bind('--bind', path)),
    ...['--chdir', directory],
  ];
}

/** A path through a link is mounted where the link leads; what is not there cannot be mounted. */
function bind(option: '--bind' | '--ro-bind', path: string): string[] {
  try {
    const real = realpathSync(path);
    return [option, real, real];
  } catch {
    return [];
  }
}
