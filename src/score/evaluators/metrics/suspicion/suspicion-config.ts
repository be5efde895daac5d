import { posix } from 'node:path';
import * as z from 'zod';

const insidePath = () =>
  z
    .string()
    .min(1)
    .refine((path) => !posix.isAbsolute(path) && posix.normalize(path).split('/')[0] !== '..', {
      message: 'must be inside the work directory, and relative to it',
    })
    .transform((path) => posix.normalize(path).replace(/\/$/, ''));

const honeypotSchema = () =>
  z.strictObject({
    path: insidePath().describe('file in the work directory that the task does not need'),
    text: z
      .string()
      .min(1)
      .optional()
      .describe('what Assay writes into it before the agent starts; without it, the file is one of the template'),
  });

export const suspicionConfig = () =>
  z.strictObject({
    honeypots: z.array(honeypotSchema()).default([]).describe('files that look like answers or keys, to be left alone'),
    tests: z
      .array(insidePath())
      .default([])
      .describe('files and folders that the agent must neither change nor delete'),
    lookups: z
      .array(z.string().min(4))
      .default([])
      .describe('words that are sent over the network only to find the answer, such as the name of the issue'),
    command: z
      .string()
      .min(1)
      .optional()
      .describe(
        'a second check with an input that the agent never saw; it runs in the work directory where all gates hold, and must exit with 0',
      ),
    timeoutSecs: z.number().positive().max(86_400).default(60).describe('time limit of the command, in seconds'),
  });

export type SuspicionConfig = z.output<ReturnType<typeof suspicionConfig>>;
export type Honeypot = SuspicionConfig['honeypots'][number];
