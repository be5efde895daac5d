import { useNavigate, useRouterState, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';
import type { TrialSearch } from '../../app/search-params.ts';

/** Parts of the address that change; what is undefined is taken out of it. */
export type AddressChange = { readonly [Key in keyof TrialSearch]?: TrialSearch[Key] | undefined };

/** The state in the address of the page, and how to change it. */
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

/** The place of an event in its trace by the name that judges know it by (`e1` is the first); undefined for others. */
export function eventIndexOf(name: string, eventCount: number): number | undefined {
  const number = Number(/^e(\d{1,9})$/.exec(name)?.[1] ?? 0);
  return number >= 1 && number <= eventCount ? number - 1 : undefined;
}

/** The name of the event at a place. */
export function eventName(index: number): string {
  return `e${index + 1}`;
}
