import { queryOptions } from '@tanstack/react-query';
import type { Agreement, ReviewItem, ReviewQueue, WriteLabel } from '../../../src/entry/server/api/review.ts';
import { api } from './api.ts';

const pageSize = 200;

/** Judged trials for a rater. Asked for once: the order must not change under the hands of whoever labels. */
export function reviewQueueQuery(rater: string, run: string) {
  return queryOptions({
    queryKey: ['review', rater, run],
    queryFn: ({ signal }) => api.get<ReviewQueue>('/review', { rater, run, limit: pageSize }, signal),
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    refetchOnMount: 'always',
  });
}

/** How far each judge agrees with the labels. */
export function agreementQuery() {
  return queryOptions({
    queryKey: ['review-agreement'],
    queryFn: ({ signal }) => api.get<Agreement>('/review/agreement', {}, signal),
  });
}

/** Keeps, changes or takes back a label. */
export function writeLabel(label: WriteLabel): Promise<ReviewItem> {
  return api.put<ReviewItem>('/labels', label);
}

/** Keeps the agreement as what later runs are compared with. */
export function keepAgreement(): Promise<Agreement> {
  return api.post<Agreement>('/review/calibrate');
}
