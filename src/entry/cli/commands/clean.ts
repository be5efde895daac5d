import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { artifactsFolder, openProject } from '../../../compose/config/project.ts';
import { AssayError } from '../../../domain/errors.ts';
import type { RunHeader } from '../../../domain/run.ts';
import { eachTrial, type Store } from '../../../keep/store/store.ts';
import { counted, parseDuration } from '../../../shared/format.ts';
import type { CliCommand } from '../command.ts';
import { type CliContext, write } from '../context.ts';
import { openProjectDatabase, storeOption } from '../project-store.ts';

/** `assay clean`: removes runs that are older than wanted, with their report files and what agents left behind. */
export const clean: CliCommand = {
  configure(command) {
    command
      .requiredOption('--older-than <age>', 'such as 30d, 12h or 45m')
      .option('--dry-run', 'show what would be removed, without removing it')
      .option(...storeOption);
  },
  async run({ options, context }) {
    const age = String(options.olderThan);
    const ageMs = parseDuration(age);
    if (ageMs === undefined)
      throw new AssayError('USAGE', `"${age}" is not an age.`, { hint: 'Write a number and a unit: 30d, 12h, 45m.' });
    const project = await openProject(context.cwd, context.env);
    const { store, db } = await openProjectDatabase(context, options.store as string | undefined, project);
    await using _open = store;
    const before = Date.now() - ageMs;
    if (options.dryRun) {
      const old = (await store.listRuns(100_000)).filter((run) => isRemovable(run, before));
      await write(context.stdout, `${counted(old.length, 'run')} would be removed.\n`);
      return 0;
    }
    const folders = await artifactsBefore(store, before);
    const removed = await store.deleteRunsBefore(before);
    const { removeUnusedFiles } = await import('../../../keep/bundles/stored-files.ts');
    await removeUnusedFiles(db, Date.now());
    for (const folder of folders) await rm(join(artifactsFolder(project), folder), { recursive: true, force: true });
    for (const runId of removed)
      await rm(join(project.folder, '.assay', 'reports', runId), { recursive: true, force: true });
    const { removeAbandonedRooms } = await import('../../../drive/workspace/trial-room.ts');
    const rooms = await removeAbandonedRooms(context.env);
    await removeAbandonedContainers(context.env);
    const left = rooms === 0 ? '' : ` ${counted(rooms, 'temporary folder')} of ended processes removed.`;
    await write(context.stdout, `${counted(removed.length, 'run')} removed.${left}\n`);
    return 0;
  },
};

/** A run that goes on stays, however long ago it began. */
function isRemovable({ startedAt, status }: RunHeader, before: number): boolean {
  return startedAt < before && status !== 'running';
}

/** Folders of trials in old runs; those whose results newer runs took over stay. */
async function artifactsBefore(store: Store, before: number): Promise<string[]> {
  const runs = (await store.listRuns(100_000)).filter((run) =>
    run.scenarios.some(({ isAgentDriven }) => isAgentDriven),
  );
  const folders = { old: new Set<string>(), kept: new Set<string>() };
  for (const run of runs) {
    for await (const { artifacts } of eachTrial(store, run.runId)) {
      if (artifacts !== null) folders[isRemovable(run, before) ? 'old' : 'kept'].add(artifacts);
    }
  }
  return [...folders.old].filter((folder) => !folders.kept.has(folder));
}

/** A machine without an engine has no containers. */
async function removeAbandonedContainers(env: CliContext['env']): Promise<void> {
  const { findEngine } = await import('../../../drive/containers/engine.ts');
  const engine = await findEngine(env).catch(() => undefined);
  await engine?.removeAbandoned();
}
