import { controlOfTrial } from '../../../domain/tool-control/control-of-trial.ts';
import type { ToolControl } from '../../../domain/tool-control/mocks.ts';
import type { Trial } from '../../../domain/trial.ts';
import { trialAttack } from './arm-attack.ts';

/** The rules for the calls of a trial: those of its scenario, with the faults and the attack of its variant. */
export function controlPlan(trial: Trial): ToolControl | undefined {
  const attack = trialAttack(trial);
  const control = controlOfTrial(trial);
  return attack ? { mocks: [], faults: [], ...control, attack } : control;
}
