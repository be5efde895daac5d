import * as z from 'zod';
import { allMarks } from './marks.ts';

export const markSchema = z.enum(allMarks);

/** How many judged trials carry each mark. */
export const markCountsSchema = z.partialRecord(markSchema, z.number());
