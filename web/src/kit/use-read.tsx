import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { read } from '../data/read.ts';
import { ErrorView, Skeleton } from './page.tsx';

/** An answer, and what stands in its place: lines that hold it until it is there, or why it cannot be read. */
type Read<Answer> = readonly [answer: Answer, instead: null] | readonly [answer: undefined, instead: ReactElement];

/** Reads something that a part of a page is made of. */
export function useRead<Answer>(query: ReturnType<typeof read<Answer>>, lines = 8): Read<Answer> {
  const { data, error, refetch } = useQuery(query);
  // Loaded data stays in sight while the server is away.
  if (data !== undefined) return [data, null];
  if (error) return [undefined, <ErrorView key="failure" error={error} onRetry={() => void refetch()} />];
  return [undefined, <Skeleton key="waiting" lines={lines} />];
}
