import { useNavigate, useRouterState, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';
import type { TrialSearch } from '../../app/page-search.ts';

/** Parts of the address that change; what is undefined is taken out of it. */
export type AddressChange = { readonly [Key in keyof TrialSearch]?: TrialSearch[Key] | undefined };

/** What the address of the page says, and how to change it. */
export interface TrialAddress {
  readonly search: TrialSearch;
  /** Another value after each visit to an address, the same one included. */
  readonly visit: string;
  readonly change: (part: AddressChange) => void;
}

/** The address of a trial's page. */
export function useTrialAddress(trialId: string): TrialAddress {
  const search = useSearch({ from: '/trials/$trialId' });
  const visit = useRouterState({ select: ({ location }) => location.state.__TSR_key ?? '' });
  const navigate = useNavigate();
  const change = useCallback(
    (part: AddressChange) =>
      void navigate({
        to: '/trials/$trialId',
        params: { trialId },
        search: (previous) => changedSearch(previous, part),
        replace: true,
        resetScroll: false,
      }),
    [navigate, trialId],
  );
  return { search, visit, change };
}

/** The address with some parts changed. */
export function changedSearch(search: TrialSearch, part: AddressChange): TrialSearch {
  const entries = Object.entries({ ...search, ...part }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as TrialSearch;
}
