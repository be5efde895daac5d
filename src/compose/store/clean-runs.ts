import type { Dirent } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunHeader } from '../../domain/run.ts';
import { type Retention, runsToRemove } from '../../keep/store/retention.ts';
import { eachTrial, type Store } from '../../keep/store/store.ts';
import { baselineRunIds } from '../compare/baseline-file.ts';
import { artifactsFolder, type Project } from '../config/project.ts';

/** Ids of the runs that exceed the limits; runs that go on and runs of baselines never do. */
export async function findRunsToRemove(store: Store, project: Project, limits: Retention): Promise<string[]> {
  const runs = await store.listRuns(100_000);
  const protectedIds = await baselineRunIds(project.folder);
  const sizes = limits.bytes === undefined ? new Map() : await runSizes(store, project, runs);
  return runsToRemove({ runs, protectedIds, sizes }, limits);
}

/** Removes runs with their artifacts and reports; gives the ids of those that did not go on. */
export async function removeRuns(store: Store, project: Project, runIds: readonly string[]): Promise<string[]> {
  const runs = await store.listRuns(100_000);
  const folders = await artifactsByRun(store, runs);
  const removed = await store.deleteRuns(runIds);
  const gone = new Set(removed);
  const kept = new Set([...folders].flatMap(([runId, ofRun]) => (gone.has(runId) ? [] : [...ofRun])));
  // Folders whose results other runs took over stay.
  const unused = removed.flatMap((runId) => [...(folders.get(runId) ?? [])]).filter((folder) => !kept.has(folder));
  const paths = [
    ...unused.map((folder) => join(artifactsFolder(project), folder)),
    ...removed.map((runId) => reportsFolder(project, runId)),
    ...removed.map((runId) => join(project.folder, '.assay', 'batches', runId)),
    ...removed.map((runId) => join(project.folder, '.assay', 'spending', runId)),
    ...removed.map((runId) => join(project.folder, '.assay', 'running', runId)),
  ];
  for (const path of paths) await rm(path, { recursive: true, force: true });
  return removed;
}

/** Bytes of each run: its records and traces in the store, its artifacts and its reports. */
async function runSizes(store: Store, project: Project, runs: readonly RunHeader[]): Promise<Map<string, number>> {
  const sizes = new Map(await store.readRunSizes());
  const folders = await artifactsByRun(store, runs);
  // A folder that several runs use counts for the newest of them, which is removed last.
  const counted = new Set<string>();
  for (const { runId } of runs) {
    let bytes = (sizes.get(runId) ?? 0) + (await bytesIn(reportsFolder(project, runId)));
    for (const folder of folders.get(runId) ?? []) {
      if (!counted.has(folder)) bytes += await bytesIn(join(artifactsFolder(project), folder));
      counted.add(folder);
    }
    sizes.set(runId, bytes);
  }
  return sizes;
}

function reportsFolder({ folder }: Project, runId: string): string {
  return join(folder, '.assay', 'reports', runId);
}

async function artifactsByRun(store: Store, runs: readonly RunHeader[]): Promise<Map<string, Set<string>>> {
  const byRun = new Map<string, Set<string>>();
  for (const { runId, scenarios } of runs) {
    if (!scenarios.some(({ isAgentDriven }) => isAgentDriven)) continue;
    const folders = new Set<string>();
    for await (const { artifacts } of eachTrial(store, runId)) if (artifacts !== null) folders.add(artifacts);
    byRun.set(runId, folders);
  }
  return byRun;
}

/** Links are not followed: what they lead to is not removed with the folder. */
async function bytesIn(folder: string): Promise<number> {
  const entries: Dirent[] = await readdir(folder, { withFileTypes: true }).catch(() => []);
  let bytes = 0;
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) bytes += await bytesIn(path);
    else if (entry.isFile()) bytes += (await stat(path).catch(() => undefined))?.size ?? 0;
  }
  return bytes;
}
