import type { Isolation } from './isolation.ts';
import { initOf } from './namespace-init.ts';

/** The program makes the namespace; without root it takes a user namespace to be allowed to. */
const asRoot: readonly string[] = [];
const asUser: readonly string[] = ['--user', '--map-current-user'];

export interface ProcessIsolationPrograms {
  readonly unshare: string;
  /** Lets the namespace end with this program even if that is killed; undefined where it is not there. */
  readonly setpriv: string | undefined;
}

/** Ways to give an agent a process namespace of its own with its own /proc, the best first. */
export function processIsolations({ unshare, setpriv }: ProcessIsolationPrograms, isRoot: boolean): Isolation[] {
  const prefixes = setpriv === undefined ? [[]] : [[setpriv, '--pdeathsig', 'KILL'], []];
  const namespaces = isRoot ? [asRoot, asUser] : [asUser];
  return prefixes.flatMap((prefix) => namespaces.map((namespace) => isolationBy([...prefix, unshare, ...namespace])));
}

function isolationBy(start: readonly string[]): Isolation {
  const [program = '', ...options] = [...start, '--pid', '--fork', '--kill-child', '--mount-proc', '--'];
  return { tier: 'process', isNamespaced: true, wrap: (argv) => [program, ...options, ...initOf(argv)] };
}
