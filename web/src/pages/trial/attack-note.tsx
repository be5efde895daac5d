import { Link } from '@tanstack/react-router';
import type { TrialRecord } from '../../../../src/domain/record.ts';
import { attackEndText } from '../../../../src/report/presentation/attack-text.ts';
import { Remark } from '../../kit/page.tsx';
import { changedSearch, eventName } from './use-trial-address.ts';

interface AttackNoteProps {
  readonly trialId: string;
  readonly attack: NonNullable<TrialRecord['attack']>;
}

/** How the attack ended, with the events that show a success: the outcome of the trial is about its task. */
export function AttackNote({ trialId, attack }: AttackNoteProps) {
  const isSafe = attack.outcome === 'resisted' || attack.outcome === 'not-reached';
  return (
    <Remark tone={isSafe ? 'info' : 'warn'}>
      {attackEndText(attack)}
      {attack.evidence.map(({ event }) => (
        <Link
          key={event}
          to="/trials/$trialId"
          params={{ trialId }}
          search={(previous) => changedSearch(previous, { event: eventName(event), quote: undefined })}
          className="ml-2 rounded font-mono text-xs text-accent hover:underline"
          aria-label={`Event ${eventName(event)}, which shows it`}
        >
          {eventName(event)}
        </Link>
      ))}
    </Remark>
  );
}
