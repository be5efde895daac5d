import type { IsolationTier } from '../../domain/trace.ts';

export type Argv = readonly [string, ...string[]];

/** What an agent may use, by absolute paths. */
export interface IsolatedFolders {
  /** Where it starts. */
  readonly directory: string;
  readonly home: string;
  readonly tmp: string;
  /** Further files and folders that it may write. */
  readonly writable: readonly string[];
  /** What it must be able to read although it lies in the machine's /tmp, which is not shown to it. */
  readonly readable?: readonly string[];
}

/** A way to keep an agent apart from the rest of the machine. */
export interface Isolation {
  readonly tier: IsolationTier;
  /** Whether everything that the agent starts lives in a process namespace, and ends with it. */
  readonly isNamespaced: boolean;
  /** The command that runs the given one in isolation; its exit code is that of the given one, see `exitOf`. */
  wrap(argv: Argv, folders: IsolatedFolders): Argv;
}

/** Nothing but a work directory, a HOME and an environment of its own. */
export const noIsolation: Isolation = { tier: 'none', isNamespaced: false, wrap: (argv) => argv };
