import { openProject, type Project } from '../../../compose/config/project.ts';
import { findRunsToRemove, removeRuns } from '../../../compose/store/clean-runs.ts';
import { AssayError } from '../../../domain/errors.ts';
import type { Retention } from '../../../keep/store/retention.ts';
import { counted, parseBytes, parseDuration } from '../../../shared/format.ts';
import type { CliCommand } from '../command.ts';
import { type CliContext, write } from '../context.ts';
import { integerOption } from '../options/values.ts';
import { openProjectDatabase, storeOption } from '../project-store.ts';

interface CleanFlags {
  readonly olderThan?: string;
  readonly keep?: number;
  readonly maxSize?: string;
  readonly dryRun?: boolean;
  readonly store?: string;
}

/** `assay store clean`: removes runs that exceed a limit, with their report files and what agents left behind. */
export const clean: CliCommand = {
  configure(command) {
    command
      .option('--older-than <age>', 'remove runs older than this, such as 30d, 12h or 45m')
      .option('--keep <runs>', 'remove all but the newest runs, this many', integerOption(0))
      .option('--max-size <size>', 'remove the oldest runs until the rest is at most this size, such as 500MB or 2GB')
      .option('--dry-run', 'show what would be removed, without removing it')
      .option(...storeOption)
      .addHelpText(
        'after',
        '\nWithout a limit, those of `retention` in the config apply. Running runs and runs of baselines are never removed.\n',
      );
  },
  async run({ options: given, context }) {
    const options = given as CleanFlags;
    const project = await openProject(context.cwd, context.env);
    const limits = limitsOf(options, project);
    const { store, db } = await openProjectDatabase(context, options.store, project);
    await using _open = store;
    const chosen = await findRunsToRemove(store, project, limits);
    if (options.dryRun) {
      await write(context.stdout, `${counted(chosen.length, 'run')} would be removed.\n`);
      return 0;
    }
    const removed = await removeRuns(store, project, chosen);
    const { removeUnusedFiles } = await import('../../../keep/bundles/stored-files.ts');
    await removeUnusedFiles(db, Date.now());
    const { removeAbandonedRooms } = await import('../../../drive/workspace/trial-directory.ts');
    const rooms = await removeAbandonedRooms(context.env);
    await removeAbandonedContainers(context.env);
    const left = rooms === 0 ? '' : ` ${counted(rooms, 'temporary folder')} of ended processes removed.`;
    await write(context.stdout, `${counted(removed.length, 'run')} removed.${left}\n`);
    return 0;
  },
};

/** Limits of the command line; those of the config where it has none. */
function limitsOf({ olderThan, keep, maxSize }: CleanFlags, { config: { retention } }: Project): Retention {
  const hasFlags = olderThan !== undefined || keep !== undefined || maxSize !== undefined;
  const limits = hasFlags
    ? { age: olderThan, runs: keep, size: maxSize }
    : { age: retention.olderThan, runs: retention.keep, size: retention.maxSize };
  if (limits.age === undefined && limits.runs === undefined && limits.size === undefined) {
    throw new AssayError('USAGE', 'No limit says which runs to remove.', {
      hint: 'Use --older-than, --keep or --max-size, or set `retention` in the config.',
    });
  }
  const ageMs = limits.age === undefined ? undefined : ageIn(limits.age);
  return {
    before: ageMs === undefined ? undefined : Date.now() - ageMs,
    runs: limits.runs,
    bytes: limits.size === undefined ? undefined : sizeIn(limits.size),
  };
}

function ageIn(text: string): number {
  const ageMs = parseDuration(text);
  if (ageMs !== undefined) return ageMs;
  throw new AssayError('USAGE', `"${text}" is not an age.`, { hint: 'Write a number and a unit: 30d, 12h, 45m.' });
}

function sizeIn(text: string): number {
  const bytes = parseBytes(text);
  if (bytes !== undefined) return bytes;
  throw new AssayError('USAGE', `"${text}" is not a size.`, { hint: 'Write a number and a unit: 500MB, 2GB.' });
}

/** A machine without an engine has no containers. */
async function removeAbandonedContainers(env: CliContext['env']): Promise<void> {
  const { findEngine } = await import('../../../drive/containers/engine.ts');
  const engine = await findEngine(env).catch(() => undefined);
  await engine?.removeAbandoned();
}
