import * as z from 'zod';
import { lazySchema } from '../../../shared/lazy-schema.ts';
import { networkSchema } from '../../network/network-policy.ts';
import { readinessSchema, serviceSchema } from '../../workspace/service-spec.ts';

const variables = () => z.record(z.string(), z.string()).default({});
const seconds = () => z.number().positive().max(86_400);
const folder = () => z.string().startsWith('/');

/** A container in which nothing but the verifier runs: it gets copies of what the task names. */
const verifierSchema = lazySchema(() =>
  z.strictObject({
    image: z.string().min(1).optional(),
    dockerfile: folder().optional(),
    buildTimeoutSecs: seconds().optional(),
    imageFolder: z.union([z.literal(true), folder()]).default(true),
    cpus: z.number().positive().optional(),
    memoryMb: z.int().positive().optional(),
    network: networkSchema,
    env: variables(),
    readiness: readinessSchema.optional(),
    artifacts: z
      .array(
        z.strictObject({
          source: folder().describe('absolute path, there and here'),
          service: z.string().optional().describe('service that has it; by default the container of the agent'),
          exclude: z.array(z.string()).default([]).describe('patterns of names that are left out'),
        }),
      )
      .default([]),
    collect: z
      .array(z.strictObject({ service: z.string().optional(), command: z.string().min(1), timeoutSecs: seconds() }))
      .default([])
      .describe('commands that write down the state of containers before artifacts are taken'),
  }),
);
export type VerifierConfig = z.output<typeof verifierSchema>;

/** One instruction of a task, with the tests that give its reward. */
const stepSchema = lazySchema(() =>
  z.strictObject({
    name: z.string().min(1),
    prompt: z.string(),
    timeoutSecs: seconds().optional().describe('time limit of the agent'),
    files: folder().optional().describe('folder that is laid into the work directory before the agent starts'),
    setup: z.string().optional().describe('command that runs in it then'),
    readiness: readinessSchema.optional(),
    tests: z.array(folder()).describe('folders that make up `/tests`; later ones replace files of earlier ones'),
    command: z.string().min(1).describe('command that gives the reward'),
    verifyTimeoutSecs: seconds(),
    env: variables(),
    verifier: verifierSchema.optional().describe('container of the command; by default that of the agent'),
    minReward: z.record(z.string(), z.number()).optional().describe('rewards without which later steps are not taken'),
  }),
);
export type TaskStep = z.output<typeof stepSchema>;

/** Parts of a task that only its containers have. */
export const containerKeys = () => ({
  readiness: readinessSchema.optional().describe('when the container is ready for the agent'),
  services: z.array(serviceSchema).optional().describe('containers beside that of the agent, in their order'),
  steps: z.array(stepSchema).min(1).optional().describe('instructions one after the other, each with its reward'),
});
