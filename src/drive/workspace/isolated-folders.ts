/** Absolute paths of the folders and files that an agent may use. */
export interface IsolatedFolders {
  /** The work directory. */
  readonly directory: string;
  /** Where it starts, unless in the work directory. */
  readonly startsIn?: string;
  readonly home: string;
  readonly tmp: string;
  /** Further files and folders that it may write. */
  readonly writable: readonly string[];
  /** Files and folders that it must be able to read, although they lie in a place that is hidden from it. */
  readonly readable?: readonly string[];
  /** Files and folders that are covered with something empty, also where they lie in a readable folder. */
  readonly hidden?: readonly string[];
  /** Whether all of the machine is readable that is not hidden; otherwise only the folders of its system are. */
  readonly seesMachine?: boolean;
  /** Folders that are filled when the agent has ended; for tiers whose trials have separate systems. */
  readonly staged?: readonly StagedFolder[];
  /** Files that other files lie over, where the isolation can do that. */
  readonly covered?: readonly CoveredFile[];
}

/** A file that the agent finds instead of the one at a path, and can neither change nor take away. */
export interface CoveredFile {
  /** Absolute, without links. */
  readonly path: string;
  readonly by: string;
}

/** A folder of this machine that the trial finds at another path. */
export interface StagedFolder {
  /** Absolute: where the trial finds it. */
  readonly path: string;
  /** Absolute: where it lies. */
  readonly source: string;
  readonly isWritable: boolean;
}
