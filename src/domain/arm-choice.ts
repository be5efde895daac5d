import * as z from 'zod';
import { lazySchema } from '../shared/lazy-schema.ts';
import { armParts } from './arm-parts.ts';

/** Names of the chosen variants by part; parts that are left out are not restricted. */
export const armChoiceSchema = lazySchema(() =>
  z.partialRecord(z.enum(armParts), z.array(z.string().max(500)).min(1).max(100)),
);
export type ArmChoice = z.infer<typeof armChoiceSchema>;
