import type { OptionCommand } from './run-option.ts';

/** Commands that run trials. */
export const running = [
  'run',
  'attack',
  'experiment run',
  'experiment improve',
] as const satisfies readonly OptionCommand[];

/** Commands that score what was recorded before. */
export const scoring = ['score trace', 'score run'] as const satisfies readonly OptionCommand[];

/** Commands that end in a report. */
export const reporting = ['run', 'attack', 'experiment run', ...scoring] as const satisfies readonly OptionCommand[];
