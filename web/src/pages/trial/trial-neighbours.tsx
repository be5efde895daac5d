import { ChevronLeft, ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import type { TrialDetail } from '../../../../src/entry/server/api/trials.ts';
import { Button, LinkButton } from '../../kit/button.tsx';

/** The trials before and after this one in the plan of their run; by `[` and `]` too. */
export function TrialNeighbours({ trial: { previousTrialId, nextTrialId } }: { trial: TrialDetail }) {
  return (
    <nav aria-label="Neighbouring trials" className="flex gap-2">
      <Neighbour trialId={previousTrialId} icon={<ChevronLeft size={14} aria-hidden />} label="Previous" keyName="[" />
      <Neighbour trialId={nextTrialId} icon={<ChevronRight size={14} aria-hidden />} label="Next" keyName="]" />
    </nav>
  );
}

interface NeighbourProps {
  readonly trialId: string | null;
  readonly icon: ReactNode;
  readonly label: string;
  readonly keyName: string;
}

function Neighbour({ trialId, icon, label, keyName }: NeighbourProps) {
  if (trialId === null)
    return (
      <Button size="sm" disabled icon={icon}>
        {label}
      </Button>
    );
  return (
    <LinkButton size="sm" to="/trials/$trialId" params={{ trialId }} icon={icon} title={`${label} trial (${keyName})`}>
      {label}
    </LinkButton>
  );
}
