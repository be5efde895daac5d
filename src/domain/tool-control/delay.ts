import * as z from 'zod';

/** Longest delay of an answer. */
const mostDelayMs = 600_000;

export const delaySchema = z.int().min(0).max(mostDelayMs).optional().describe('milliseconds until the answer');
