import { stopAfterFailuresOptions } from '../../features/stop-after-failures/options.ts';
import { judgeOptions } from './judge.ts';
import { machineOptions } from './machines.ts';
import { paceOptions } from './pace.ts';
import { recordingOptions } from './recordings.ts';
import { reportOptions } from './reports.ts';
import type { RunOption, Way } from './run-option.ts';
import { scenarioOptions } from './scenarios.ts';
import { variantOptions } from './variants.ts';

const list = [
  ...scenarioOptions,
  ...variantOptions,
  ...judgeOptions,
  ...paceOptions,
  ...reportOptions,
  ...recordingOptions,
  ...machineOptions,
  ...stopAfterFailuresOptions,
] as const satisfies readonly RunOption[];

/** Every option of a run. */
export const runOptions: readonly RunOption[] = list;

/** Each option as it is listed, with its literal key and value. */
export type ListedOption = (typeof list)[number];

/** Keys of the options that can be given in a way. */
export type KeyOfWay<W extends Way> = {
  [Option in ListedOption as Option['key']]: W extends Option['ways'][number] ? Option['key'] : never;
}[ListedOption['key']];

/** Keys of the options that a run keeps. */
export type KeptKey = {
  [Option in ListedOption as Option['key']]: 'resume' extends Option['keptBy'][number] ? Option['key'] : never;
}[ListedOption['key']];
