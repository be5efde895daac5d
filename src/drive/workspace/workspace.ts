import type { TraceEventOf } from '../../domain/trace.ts';
import type { AgentInstructions } from '../agents/agent.ts';

/** Sources of a work directory. */
export interface WorkspaceRequest {
  /** Absolute: the trial's folder, which gets `fixture`, `home` and `tmp`. */
  readonly folder: string;
  /** Absolute: where trials are kept. A template that contains it is copied without it. */
  readonly resultsFolder: string;
  /** Absolute; undefined for an empty work directory. */
  readonly template: string | undefined;
  /** Laid over the template; undefined where the trial has none. */
  readonly guidance: WorkspaceGuidance | undefined;
  /** Files and folders that are copied over the template, by absolute paths. */
  readonly files?: readonly { readonly from: string; readonly to: string }[];
  /** Absolute folders that are copied into the work directory last, such as skills. */
  readonly overlays?: readonly WorkspaceOverlay[];
}

export interface WorkspaceOverlay {
  readonly source: string;
  /** Folder of the work directory that it is copied into. */
  readonly into: string;
}

/** Guidance for an agent. */
export interface WorkspaceGuidance {
  /** Absolute: a file or a folder. */
  readonly source: string;
  /** Where the agent reads instructions. */
  readonly instructions: AgentInstructions;
}

export type FileChange = Pick<TraceEventOf<'file-change'>, 'path' | 'change' | 'bytes' | 'diff'>;

/** A fresh copy of the template for one trial. */
export interface Workspace {
  /** Absolute. */
  readonly directory: string;
  readonly home: string;
  readonly tmp: string;
  /** Instruction files of the guidance that the agent reads, relative to the directory. */
  readonly laid: readonly string[];
  /** Remembers the current state, to find the agent's changes later. */
  remember(): Promise<void>;
  /** Files created, changed and deleted since then, by path. */
  changes(): Promise<readonly FileChange[]>;
}
