import type { IsolationTier } from '../../domain/isolation-tier.ts';

/** Places and things of the machine that an agent must not see. */
export type Hideable = 'project' | 'graders' | 'otherTrials' | 'home' | 'processes';

const nothing: Readonly<Record<Hideable, boolean>> = {
  project: false,
  graders: false,
  otherTrials: false,
  home: false,
  processes: false,
};

const everything: Readonly<Record<Hideable, boolean>> = {
  project: true,
  graders: true,
  otherTrials: true,
  home: true,
  processes: true,
};

/**
 * Which tier hides what: the project, the scenario with everything that judges, the artifacts and rooms of other trials,
 * the user's HOME, and processes outside the trial.
 */
export const hiddenByTier: Readonly<Record<IsolationTier, Readonly<Record<Hideable, boolean>>>> = {
  container: everything,
  bubblewrap: everything,
  process: { ...nothing, processes: true },
  none: nothing,
};
