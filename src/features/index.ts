import type { Feature } from '../engine/feature.ts';
import { again } from './again/index.ts';
import { arms } from './arms/index.ts';
import { attack } from './attack/index.ts';
import { backendState } from './backend-state/index.ts';
import { browser } from './browser/index.ts';
import { continuedTrials } from './continued-trials/index.ts';
import { evaluation } from './eval/index.ts';
import { experiment } from './experiment/index.ts';
import { hooks } from './hooks/index.ts';
import { reuse } from './reuse/index.ts';
import { stopAfterFailures } from './stop-after-failures/index.ts';
import { suspicions } from './suspicion/index.ts';
import { toolPins } from './tool-pins/index.ts';

/** The features of runs, in the order in which they are called; around a trial the first is the outermost. */
export const features: readonly Feature[] = [
  stopAfterFailures,
  reuse,
  continuedTrials,
  evaluation,
  arms,
  attack,
  again,
  experiment,
  hooks,
  toolPins,
  suspicions,
  backendState,
  browser,
];
