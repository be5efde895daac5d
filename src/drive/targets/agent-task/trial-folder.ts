import { join, relative } from 'node:path';

/** Where everything of one trial lies. */
export interface TrialFolder {
  /** Absolute. */
  readonly path: string;
  /** Relative to the folder of all artifacts. */
  readonly name: string;
  readonly transcriptFile: string;
  readonly eventsFile: string;
  readonly recorderFolder: string;
}

/** The folder of a trial by its absolute path. */
export function trialFolder(path: string, artifactsFolder: string): TrialFolder {
  return {
    path,
    name: relative(artifactsFolder, path),
    transcriptFile: join(path, 'transcript.raw.txt'),
    eventsFile: join(path, 'events.jsonl'),
    recorderFolder: join(path, 'recorder'),
  };
}
