import { braintrust } from './braintrust.ts';
import { langfuse } from './langfuse.ts';
import { phoenix } from './phoenix.ts';
import type { Service } from './service.ts';

/** Services that get runs as experiments. */
export const services: readonly Service[] = [langfuse, braintrust, phoenix];
