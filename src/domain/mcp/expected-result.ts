import * as z from 'zod';
import { lazySchema } from '../../shared/lazy-schema.ts';

/** An empty text is part of every result, so it would expect nothing. */
export const expectedResultSchema = lazySchema(() =>
  z
    .unknown()
    .refine((expected) => expected !== '', 'an empty text is in every result: remove it, or write the whole result')
    .optional(),
);
