import * as z from 'zod';
import { lazySchema } from '../../shared/lazy-schema.ts';

const variables = () => z.record(z.string(), z.string()).default({});
const folder = () => z.string().startsWith('/');

/** When something in a container is ready to be used. */
export const readinessSchema = lazySchema(() =>
  z.strictObject({
    command: z.union([z.string().min(1), z.array(z.string()).min(1)]).describe('exits with 0 when it is ready'),
    intervalSecs: z.number().positive().describe('time between two checks'),
    timeoutSecs: z.number().positive().describe('time limit of one check'),
    startPeriodSecs: z.number().min(0).describe('time in which failures do not count'),
    retries: z.int().min(1).describe('how many failures in a row are too many'),
  }),
);
export type Readiness = z.output<typeof readinessSchema>;

/** A container beside that of the agent, in a network with it. */
export const serviceSchema = lazySchema(() =>
  z.strictObject({
    name: z.string().min(1).describe('its host name in the network of the trial'),
    image: z.string().min(1).optional(),
    dockerfile: folder().optional().describe('Dockerfile from which the image is built instead'),
    context: folder().optional().describe('folder in which it is built; by default that of the Dockerfile'),
    buildArguments: variables(),
    entrypoint: z.array(z.string()).optional(),
    command: z.array(z.string()).optional(),
    env: variables(),
    workdir: z.string().optional(),
    user: z.string().optional(),
    mounts: z
      .array(z.strictObject({ from: folder(), to: folder() }))
      .default([])
      .describe('read-only'),
    readiness: readinessSchema.optional(),
    completes: z.boolean().default(false).describe('whether it does its work and ends before others start'),
  }),
);
export type ServiceSpec = z.output<typeof serviceSchema>;
