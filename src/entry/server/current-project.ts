import { statSync } from 'node:fs';
import { join } from 'node:path';
import { findConfig, olderConfigName, openProject, type Project } from '../../compose/config/project.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** The project of a folder, read again when its config is another than before. */
export function currentProject(folder: string, env: Env): () => Promise<Project> {
  let known: { readonly stamp: string; readonly project: Promise<Project> } | undefined;
  return () => {
    const stamp = configStamp(folder);
    if (known?.stamp !== stamp) known = { stamp, project: openProject(folder, env) };
    return known.project;
  };
}

/** Changes when a config is written, replaced, made or removed. */
function configStamp(folder: string): string {
  const config = findConfig(folder);
  const files = [config, join(config === undefined ? folder : join(config, '..'), olderConfigName)];
  return files.map((file) => `${file}:${stampOf(file)}`).join('\n');
}

function stampOf(file: string | undefined): string {
  const found = file === undefined ? undefined : statSync(file, { throwIfNoEntry: false });
  return found ? `${found.mtimeMs}:${found.size}:${found.ino}` : '';
}
