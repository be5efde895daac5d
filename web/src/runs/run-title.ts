import type { RunItem } from '../../../src/entry/server/api/runs.ts';

/** What a run is called: its name, or what it ran. */
export function runTitle({ name, scenarioNames, scenarioCount }: NamedRun): string {
  if (name !== null && name.trim() !== '') return name;
  const [first] = scenarioNames;
  if (first === undefined) return 'Run without scenarios';
  const others = scenarioCount - 1;
  return others > 0 ? `${first} and ${others} more` : first;
}

type NamedRun = Pick<RunItem, 'name' | 'scenarioNames' | 'scenarioCount'>;

const originWords: Readonly<Record<RunItem['origin'], string>> = {
  run: '',
  import: 'imported',
  rescore: 'scored again',
  evaluate: 'scored from a trace',
};

/** Where the trials come from, where nothing was run. */
export function originText(origin: RunItem['origin']): string {
  return originWords[origin];
}
