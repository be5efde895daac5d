import { existsSync, lstatSync, mkdirSync, realpathSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { AssayError, asAssayError } from '../../domain/errors.ts';
import { bytePath } from './byte-path.ts';
import { copyEntry, copyTree } from './copy-tree.ts';
import { layGuidance } from './lay-guidance.ts';
import { WorkChanges } from './work-changes.ts';
import type { Workspace, WorkspaceOverlay, WorkspaceRequest } from './workspace.ts';

/** Folder of a template that is copied over the root of the work directory. */
const initialStateFolder = 'initial-state';
/** Scenario files often lie inside the template; the agent must not read its evaluation. */
const scenariosFolder = 'scenarios';

const onlyOwner = 0o700;

/** A work directory that also says which of its changes are not known. */
export interface PreparedWorkspace extends Workspace {
  /** Losses of the changes that were found last, in words. */
  readonly losses: readonly string[];
}

/** Creates a fresh work directory with a HOME and a folder for temporary files; earlier content is removed. */
export async function prepareWorkspace(request: WorkspaceRequest): Promise<PreparedWorkspace> {
  const { folder, resultsFolder, template, guidance, files = [], overlays = [] } = request;
  const [directory, home, tmp] = [join(folder, 'fixture'), join(folder, 'home'), join(folder, 'tmp')];
  let laid: readonly string[] = [];
  try {
    mkdirSync(folder, { recursive: true });
    for (const path of [directory, home, tmp]) await makeFresh(path);
    if (template !== undefined) await copyTemplate(template, resultsFolder, directory);
    for (const file of files) await layFile(file, directory);
    if (guidance) laid = await layGuidance(guidance.source, directory, guidance.instructions);
    for (const overlay of overlays) await layOver(overlay, directory);
  } catch (error) {
    throw asAssayError(error, 'WORKSPACE_FAILED');
  }
  const work = new WorkChanges(directory);
  return {
    directory,
    home,
    tmp,
    laid,
    remember: () => work.remember(),
    changes: () => work.changes(),
    get losses() {
      return work.losses;
    },
  };
}

async function makeFresh(path: string): Promise<void> {
  if (lstatSync(path, { throwIfNoEntry: false })) await rm(path, { recursive: true });
  mkdirSync(path, onlyOwner);
}

/** Copies a template as a work directory begins with it. */
export async function copyTemplate(template: string, resultsFolder: string, directory: string): Promise<void> {
  if (!statSync(template, { throwIfNoEntry: false })?.isDirectory()) {
    throw new AssayError('FILE_NOT_FOUND', `The template folder ${template} does not exist.`);
  }
  const root = realpathSync(template);
  const results = pathWithin(root, existsSync(resultsFolder) ? realpathSync(resultsFolder) : resultsFolder);
  await copyTree(root, directory, {
    isFresh: true,
    skipsFolder: (path, name) => name === scenariosFolder || path === `/${initialStateFolder}` || path === results,
  });
  const initialState = join(root, initialStateFolder);
  if (lstatSync(initialState, { throwIfNoEntry: false })?.isDirectory()) {
    await copyTree(initialState, directory, { skipsFolder: (_, name) => name === scenariosFolder });
  }
}

/** The folder of a template that trials are kept in, which must not be copied into each of them. */
function pathWithin(root: string, folder: string): string | undefined {
  const [first] = relative(root, folder).split(sep);
  return first === undefined || first === '' || first === '..' ? undefined : `/${bytePath(first)}`;
}

async function layFile({ from, to }: { readonly from: string; readonly to: string }, directory: string): Promise<void> {
  if (!existsSync(from)) throw new AssayError('FILE_NOT_FOUND', `${from} does not exist.`);
  const [source, target] = [realpathSync(from), join(directory, to)];
  mkdirSync(statSync(source).isDirectory() ? target : dirname(target), { recursive: true });
  if (statSync(source).isDirectory()) await copyTree(source, target, { skipsFolder: () => false });
  else await copyEntry(source, target);
}

async function layOver({ source, into }: WorkspaceOverlay, directory: string): Promise<void> {
  if (!existsSync(source)) throw new AssayError('FILE_NOT_FOUND', `${source} does not exist.`);
  mkdirSync(join(directory, into), { recursive: true });
  // The evaluations of a skill judge the agent that gets it.
  await copyTree(realpathSync(source), join(directory, into), { skipsFolder: (path) => path === '/evals' });
}
