import type { Trial } from '../trial.ts';
import type { ToolControl } from './mocks.ts';

/** The rules for the calls of a trial: of the faults, those that act in its variant. */
export function controlOfTrial({
  scenario: { control },
  variant,
}: Pick<Trial, 'scenario' | 'variant'>): ToolControl | undefined {
  if (!control) return undefined;
  return { ...control, faults: control.faults.filter(({ set }) => set === undefined || set === variant.faults) };
}
