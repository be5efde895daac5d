import { useParams } from '@tanstack/react-router';
import { createContext, type ReactNode, useContext, useMemo } from 'react';
import type { RowLink } from '../../kit/table-column.ts';

/** Where the trials of a list lead. */
export interface TrialChoice {
  readonly linkTo: (trialId: string) => RowLink;
  /** The trial that is shown beside the list. */
  readonly chosen: string | undefined;
}

/** The page of a trial. */
export const ownPage = (trialId: string): RowLink => ({ to: '/trials/$trialId', params: { trialId } });

const Choice = createContext<TrialChoice>({ linkTo: ownPage, chosen: undefined });

/** Where trials of this list lead: to the place beside the list, or to their own page where there is none. */
export function useTrialChoice(): TrialChoice {
  return useContext(Choice);
}

interface TrialChoiceProps {
  /** The trial beside the list. */
  readonly chosen: string | undefined;
  /** Whether there is room beside the list. */
  readonly isBeside: boolean;
  readonly children: ReactNode;
}

export function TrialChoiceProvider({ chosen, isBeside, children }: TrialChoiceProps) {
  const { runId } = useParams({ from: '/runs/$runId' });
  const linkTo = useMemo(() => (isBeside ? besideList(runId) : ownPage), [isBeside, runId]);
  const choice = useMemo(() => ({ linkTo, chosen: isBeside ? chosen : undefined }), [linkTo, chosen, isBeside]);
  return <Choice value={choice}>{children}</Choice>;
}

function besideList(runId: string): TrialChoice['linkTo'] {
  return (trial) => ({
    to: '/runs/$runId',
    params: { runId },
    search: (known) => ({ ...known, trial }),
    replace: true,
    resetScroll: false,
  });
}
