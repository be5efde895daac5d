import { existsSync, realpathSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, join, relative, resolve, sep } from 'node:path';
import { evalStudioConfigName, evalStudioProjectFolder } from './find-config.ts';
import { hasOwnConfig } from './project.ts';

/** A project of a workspace. */
export interface WorkspaceProject {
  /** For addresses: letters, digits, `.`, `_` and `-`. */
  readonly id: string;
  readonly name: string;
  /** Absolute. */
  readonly folder: string;
  /** Relative to the workspace, with slashes; `.` is the workspace itself. */
  readonly path: string;
  /** Why it cannot be opened. */
  readonly problem: string | null;
}

type Found = Omit<WorkspaceProject, 'id'> & { readonly id?: string };

const deepest = 3;
const mostProjects = 200;
const skippedFolders = new Set(['node_modules', 'dist', 'coverage']);

/**
 * The projects of a folder: itself, the projects of its `evalstudio.config.json`, and folders below it with a config.
 * Links are not followed, so every project is inside the folder. A folder without any of these is one project.
 */
export async function findProjects(folder: string): Promise<readonly WorkspaceProject[]> {
  const root = realpathSync(resolve(folder));
  const listed = await evalStudioProjects(root);
  const listedFolders = new Set(listed.map((project) => project.folder));
  const below = (await configuredBelow(root, root, deepest)).filter((project) => !listedFolders.has(project.folder));
  const inside = [...listed, ...below];
  const isProject = hasOwnConfig(root) || inside.every(({ problem }) => problem !== null);
  return withIds([...(isProject ? [itself(root)] : []), ...inside].slice(0, mostProjects));
}

/** A folder as the only project; its config may be above it. */
export function onlyProject(folder: string): readonly WorkspaceProject[] {
  return withIds([itself(resolve(folder))]);
}

function itself(folder: string): Found {
  return { name: basename(folder) || folder, folder, path: '.', problem: null };
}

async function evalStudioProjects(root: string): Promise<Found[]> {
  const file = join(root, evalStudioConfigName);
  if (!existsSync(file)) return [];
  const { readEvalStudioWorkspace } = await import('./evalstudio-config.ts');
  const { workspace } = await readEvalStudioWorkspace(file, root);
  return workspace.projects.map(({ id, name = id }) => {
    const folder = evalStudioProjectFolder(root, id);
    return { id, name, folder, path: slashed(root, folder), problem: folderProblem(root, id, folder) };
  });
}

function folderProblem(root: string, id: string, folder: string): string | null {
  if (!isPlainId(id)) return 'Its id is not the name of a folder.';
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    return `There is no folder ${slashed(root, folder)}.`;
  return realpathSync(folder).startsWith(`${root}${sep}`) ? null : 'Its folder leads out of the workspace.';
}

async function configuredBelow(root: string, folder: string, depth: number): Promise<Found[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const found: Found[] = [];
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (!entry.isDirectory() || entry.name.startsWith('.') || skippedFolders.has(entry.name)) continue;
    const inside = join(folder, entry.name);
    if (hasOwnConfig(inside))
      found.push({ name: entry.name, folder: inside, path: slashed(root, inside), problem: null });
    else if (depth > 1) found.push(...(await configuredBelow(root, inside, depth - 1)));
    if (found.length > mostProjects) break;
  }
  return found;
}

function slashed(root: string, folder: string): string {
  return relative(root, folder).split(sep).join('/') || '.';
}

function isPlainId(id: string): boolean {
  return /^\w[\w.-]*$/.test(id);
}

/** Ids in the order of the list: the same folders get the same ids at each start. */
function withIds(found: readonly Found[]): WorkspaceProject[] {
  const taken = new Set<string>();
  return found.map((project) => {
    const wanted = project.id ?? (project.path === '.' ? project.name : project.path);
    const plain = wanted.replace(/[^\w.-]+/g, '-').replace(/^[^\w]+/, '') || 'project';
    let id = plain;
    for (let number = 2; taken.has(id); number += 1) id = `${plain}-${number}`;
    taken.add(id);
    return { ...project, id };
  });
}
