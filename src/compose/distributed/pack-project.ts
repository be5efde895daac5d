import { relative, resolve } from 'node:path';
import type { Kysely } from 'kysely';
import { type PackedBundle, packBundle } from '../../keep/bundles/pack-bundle.ts';
import { StoredFiles } from '../../keep/bundles/stored-files.ts';
import type { Tables } from '../../keep/store/sql/tables.ts';
import { artifactsFolder, type Project } from '../config/project.ts';
import { projectSecrets } from '../config/redaction.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** A project in the shared store, which is to be kept as long as a run. */
export interface PackedProject extends PackedBundle {
  /** The run must be in the store. */
  assign(runId: string): Promise<void>;
}

/** Puts the files of a project into the shared store; refuses what must not travel, before anything is sent. */
export async function packProject(project: Project, env: Env, db: Kysely<Tables>): Promise<PackedProject> {
  const stored = new StoredFiles(db);
  const { include, exclude, maxMegabytes } = project.config.bundle;
  const packed = await packBundle(
    project.folder,
    {
      include,
      exclude: [...exclude, ...resultPatterns(project)],
      maxBytes: maxMegabytes * 1_000_000,
      secrets: projectSecrets(project, env),
      env,
    },
    stored,
  );
  return { ...packed, assign: (runId) => stored.assign(packed.bundleId, { runId }) };
}

/** Results of earlier runs in the project's folder are not bundled. */
function resultPatterns(project: Project): string[] {
  const { output, store } = project.config;
  const database = /^sqlite:(?:\/\/)?(.+)$/.exec(store)?.[1];
  const places = [
    artifactsFolder(project),
    ...(output === undefined ? [] : [resolve(project.folder, output)]),
    ...(database === undefined ? [] : ['', '-wal', '-shm'].map((end) => resolve(project.folder, `${database}${end}`))),
  ];
  return places.map((place) => relative(project.folder, place)).flatMap((path) => (isBelow(path) ? [`/${path}`] : []));
}

/** Characters with a meaning in patterns are escaped. */
function isBelow(path: string): boolean {
  return path !== '' && !path.startsWith('..') && !/[*?{}]/.test(path);
}
