import * as z from 'zod';
import { lazySchema } from '../../shared/lazy-schema.ts';

const commands = lazySchema(() => z.array(z.string().regex(/\S/, 'a command must not be empty')).default([]));

/** `hooks:` of the project's config. */
export const hooksSchema = lazySchema(() =>
  z.strictObject({
    beforeRun: commands.describe('before the first trial; a failure makes every trial an `error`'),
    afterRun: commands.describe('after the last trial, also of an interrupted run'),
    beforeScenario: commands.describe(
      'before the first trial of each scenario; a failure makes all its trials an `error`',
    ),
    afterScenario: commands.describe('after the last trial of each scenario'),
    beforeTrial: commands.describe('before each trial; a failure makes it an `error`'),
    afterTrial: commands.describe('after each trial'),
  }),
);
export type HooksConfig = z.output<typeof hooksSchema>;
