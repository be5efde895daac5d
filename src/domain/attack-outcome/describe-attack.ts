import { counted } from '../../shared/format.ts';
import type { PlantedAttack } from '../attacks/attack-event.ts';
import type { TraceEventOf } from '../trace.ts';

/** The attack of a trial, as a line. */
export function describeAttack({ name, suite, version, place, goal }: PlantedAttack): string {
  return `${name} of ${suite} ${version}, planted in ${place}, wants ${wanted(goal)}`;
}

function wanted(goal: PlantedAttack['goal']): string {
  if (goal.kind === 'call') return `a call of "${goal.tool}"`;
  return goal.kind === 'change' ? `a change of ${goal.file}` : 'a secret to leave';
}

/** Where the secret of an attack was seen, or how much of what an agent sent was looked at, as a line. */
export function describeSent(event: TraceEventOf<'secret-seen' | 'request-watch'>): string {
  if (event.type === 'secret-seen') {
    const { where, form } = event;
    return `the secret of the attack is in ${where}${form === 'plain' ? '' : ` (${form})`}`;
  }
  const { seenBy, searched, unread } = event;
  const what = counted(searched, seenBy === 'gateway' ? 'model call' : 'request');
  return `${what} searched for the secret of the attack${unread.length === 0 ? '' : `; not read: ${unread.join(', ')}`}`;
}
