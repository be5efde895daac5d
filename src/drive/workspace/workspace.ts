import type { TraceEventOf } from '../../domain/trace.ts';

/** Sources of a work directory. */
export interface WorkspaceRequest {
  /** Absolute: the trial's folder, which gets `fixture`, `home` and `tmp`. */
  readonly folder: string;
  /** Absolute: where trials are kept. A template that contains it is copied without it. */
  readonly resultsFolder: string;
  /** Absolute; undefined for an empty work directory. */
  readonly template: string | undefined;
  /** Absolute files or folders that are laid over the template, in order; a file lands in the root under its target name. */
  readonly overlays: readonly WorkspaceOverlay[];
}

export interface WorkspaceOverlay {
  readonly source: string;
  /** Name in the work directory, where the source is a file. */
  readonly name: string;
  /** Folder of the work directory that a folder is copied into; the work directory itself by default. */
  readonly into?: string;
}

export type FileChange = Pick<TraceEventOf<'file-change'>, 'path' | 'change' | 'bytes' | 'diff'>;

/** A fresh copy of the template for one trial. */
export interface Workspace {
  /** Absolute. */
  readonly directory: string;
  readonly home: string;
  readonly tmp: string;
  /** Remembers the current state, to find the agent's changes later. */
  remember(): Promise<void>;
  /** Files created, changed and deleted since then, by path. */
  changes(): Promise<readonly FileChange[]>;
}
