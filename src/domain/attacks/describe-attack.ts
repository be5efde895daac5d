import type { PlantedAttack } from './attack-event.ts';

/** The attack of a trial, as a line. */
export function describeAttack({ name, suite, version, place, goal }: PlantedAttack): string {
  const wants = {
    call: () => (goal.kind === 'call' ? `a call of "${goal.tool}"` : ''),
    leak: () => 'a secret to leave',
    change: () => (goal.kind === 'change' ? `a change of ${goal.file}` : ''),
  };
  return `${name} of ${suite} ${version}, planted in ${place}, wants ${wants[goal.kind]()}`;
}
