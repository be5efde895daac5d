import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openProject } from '../../compose/config.ts';
import { AssayError } from '../../domain/errors.ts';
import { parseDuration } from '../../shared/durations.ts';
import { counted } from '../../shared/numbers.ts';
import type { CliCommand } from '../command.ts';
import { write } from '../context.ts';
import { openProjectStore, storeOption } from '../open-project-store.ts';

/** `assay clean`: removes runs that are older than wanted, with their report files. */
export const clean: CliCommand = {
  configure(command) {
    command
      .requiredOption('--older-than <age>', 'such as 30d, 12h or 45m')
      .option('--dry-run', 'tell what would be removed, and remove nothing')
      .option(...storeOption);
  },
  async run({ options, context }) {
    const age = String(options.olderThan);
    const ageMs = parseDuration(age);
    if (ageMs === undefined)
      throw new AssayError('USAGE', `"${age}" is not an age.`, { hint: 'Write a number and a unit: 30d, 12h, 45m.' });
    const project = await openProject(context.cwd, context.env);
    await using store = await openProjectStore(context, options.store as string | undefined, project);
    const before = Date.now() - ageMs;
    if (options.dryRun) {
      const old = (await store.listRuns(100_000)).filter((run) => run.startedAt < before);
      await write(context.stdout, `${counted(old.length, 'run')} would be removed.\n`);
      return 0;
    }
    const removed = await store.deleteRunsBefore(before);
    for (const runId of removed)
      await rm(join(project.folder, '.assay', 'reports', runId), { recursive: true, force: true });
    await write(context.stdout, `${counted(removed.length, 'run')} removed.\n`);
    return 0;
  },
};
