import { stopAfterFailuresOptions } from '../../features/stop-after-failures/options.ts';
import { judgeOptions } from './judge.ts';
import { machineOptions } from './machines.ts';
import { paceOptions } from './pace.ts';
import { recordingOptions } from './recordings.ts';
import { reportOptions } from './reports.ts';
import type { RunOption, ValueOf, Way } from './run-option.ts';
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

type Listed = (typeof list)[number];

/** Every option of a run. */
export const runOptions: readonly RunOption[] = list;

/** The options of a run, as any way gives them; absent: as files and config say. */
export type RunOptions = { readonly [Option in Listed as Option['key']]?: ValueOf<Option['value']> | undefined };

/** Keys of the options that can be given in a way. */
export type KeyOfWay<W extends Way> = {
  [Option in Listed as Option['key']]: W extends Option['ways'][number] ? Option['key'] : never;
}[Listed['key']];

/** Keys of the options that a run keeps. */
export type KeptKey = {
  [Option in Listed as Option['key']]: 'resume' extends Option['keptBy'][number] ? Option['key'] : never;
}[Listed['key']];

/** The options that a run keeps. */
export type KeptOptions = Pick<RunOptions, KeptKey>;

/** The values of some options that a run keeps when it goes on, or is run again. */
export function keptOptions(given: object, by: 'resume' | 'again'): KeptOptions {
  const keys = new Set(runOptions.filter(({ keptBy }) => keptBy.includes(by)).map(({ key }) => key));
  return Object.fromEntries(Object.entries(given).filter(([key, value]) => value !== undefined && keys.has(key)));
}
