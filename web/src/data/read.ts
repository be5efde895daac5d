import {
  infiniteQueryOptions,
  type QueryKey,
  queryOptions,
  type UndefinedInitialDataOptions,
} from '@tanstack/react-query';
import { type ApiQuery, api } from './api.ts';

type ReadSettings<Answer> = Omit<UndefinedInitialDataOptions<Answer>, 'queryKey' | 'queryFn'>;

/** Something that pages read: where it is in the API, and the key under which its answer is kept. */
export function read<Answer>(
  queryKey: QueryKey,
  path: string,
  query: ApiQuery = {},
  settings: ReadSettings<Answer> = {},
) {
  return queryOptions({
    queryKey,
    queryFn: ({ signal }) => api.get<Answer>(path, query, signal),
    ...settings,
  });
}

/** An answer to a request that is too long for an address, such as what a run would take; never kept. */
export function readByPost<Answer>(
  queryKey: QueryKey,
  path: string,
  body: unknown,
  settings: ReadSettings<Answer> = { staleTime: 0 },
) {
  return queryOptions({ queryKey, queryFn: () => api.post<Answer>(path, body), retry: false, ...settings });
}

/** A list that is read page by page, as far as one has scrolled; the last one stays until another filter is answered. */
export function readPages<Page extends { readonly next: string | null }>(
  queryKey: QueryKey,
  path: string,
  query: ApiQuery,
) {
  return infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam, signal }) => api.get<Page>(path, { ...query, cursor: pageParam }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }: Page) => next,
    placeholderData: (previous) => previous,
  });
}
