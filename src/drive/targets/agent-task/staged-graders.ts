import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { AssayError } from '../../../domain/errors.ts';
import { isInSystem } from '../../workspace/bubblewrap-mounts.ts';
import { copyTree } from '../../workspace/copy-tree.ts';
import type { StagedFolder } from '../../workspace/isolated-folders.ts';
import { isInside } from '../../workspace/room-base.ts';
import type { AgentRun } from './agent-run.ts';
import { namedFiles } from './graders.ts';

/** Folders beside graders that they do not need, and that may be large. */
const leftOut: ReadonlySet<string> = new Set(['.assay', '.git', 'node_modules']);
const mostFiles = 20_000;

/** A place of the system, and what it holds once the agent has ended. */
interface Stage extends StagedFolder {
  /** Absolute: the file or folder that is copied to it; undefined: nothing, or the results of the trial. */
  readonly original: string | undefined;
}

/**
 * Files for the gates in the system of a trial. Mounts cannot be added to a running system, so empty places are mounted
 * read-only, and filled from outside when the agent and everything that it started has ended.
 */
export class StagedGraders {
  readonly #run: AgentRun;
  readonly #stages: readonly Stage[];
  readonly #results: string;

  /** `mounted`: absolute paths that the system gets anyway. */
  constructor(run: AgentRun, mounted: readonly string[]) {
    const { room, folder, workspace, config } = run;
    const root = join(room.privateFolder, '..', 'graders');
    this.#run = run;
    this.#results = join(root, 'results');
    const inner = [...mounted, workspace.directory, workspace.home, workspace.tmp];
    const graders = originals(run, mounted).map(({ path, original }, index) => {
      return { path, original, source: join(root, String(index)), isWritable: false };
    });
    const results = { path: folder.path, original: undefined, source: this.#results, isWritable: false };
    const logs = config.logsFolder === undefined ? [] : [logsStage(config.logsFolder, folder.logsFolder)];
    this.#stages = [results, ...graders, ...logs];
    for (const stage of this.#stages) makePlace(stage, inner);
  }

  get folders(): readonly StagedFolder[] {
    return this.#stages;
  }

  /** To be called when no process of the agent is left. */
  async reveal(): Promise<void> {
    for (const { original, source } of this.#stages) {
      if (original === undefined) continue;
      if (statSync(original).isDirectory()) await copyFolder(original, source);
      else copyFileSync(original, source);
    }
    this.#emptyVerifierLogs();
    this.revealResults();
  }

  async revealTests(folders: readonly string[]): Promise<void> {
    const [{ to } = { to: '' }] = this.#run.config.stagedFolders ?? [];
    const stage = this.#stages.find(({ path }) => path === to);
    if (stage) for (const name of readdirSync(stage.source)) rmSync(join(stage.source, name), { recursive: true });
    for (const folder of stage ? folders : []) await copyFolder(folder, stage?.source ?? '');
    this.#emptyVerifierLogs();
  }

  /** Lets scripts and gates read the transcript and the events, as far as they are written. */
  revealResults(): void {
    const { transcriptFile, eventsFile } = this.#run.folder;
    for (const file of [transcriptFile, eventsFile]) {
      if (existsSync(file)) copyFileSync(file, join(this.#results, basename(file)));
    }
  }

  /** Whatever lies there was written by the agent. */
  #emptyVerifierLogs(): void {
    const { config, folder } = this.#run;
    if (config.logsFolder === undefined) return;
    const verifier = join(folder.logsFolder, 'verifier');
    rmSync(verifier, { recursive: true, force: true });
    mkdirSync(verifier);
  }
}

interface Original {
  readonly path: string;
  readonly original: string;
}

/** A file in a place that the agent reads is staged by itself, any other with its folder. */
function originals({ trial, config, workspace, env, room }: AgentRun, mounted: readonly string[]): readonly Original[] {
  const files = namedFiles(trial, config, workspace.directory, env.after).filter(
    (file) => !isInside(file, room.folder) && !isInSystem(file),
  );
  const isVisible = (file: string): boolean => mounted.some((place) => isInside(file, place));
  const folders = files.filter((file) => !isVisible(file)).map((file) => dirname(file));
  const outermost = folders.filter((one) => !folders.some((other) => other !== one && isInside(one, other)));
  const paths = new Set([...files.filter(isVisible), ...outermost]);
  const declared = (config.stagedFolders ?? []).map(({ from, to }) => ({ path: to, original: from }));
  return [...[...paths].map((path) => ({ path, original: path })), ...declared];
}

function logsStage(path: string, source: string): Stage {
  return { path, source, original: undefined, isWritable: true };
}

/** An empty file or folder, with the places in it over which something else is mounted. */
function makePlace({ path, source, original }: Stage, inner: readonly string[]): void {
  mkdirSync(dirname(source), { recursive: true });
  if (original !== undefined && !statSync(original).isDirectory()) {
    writeFileSync(source, '');
    return;
  }
  mkdirSync(source, { recursive: true });
  for (const mounted of inner.filter((place) => place !== path && isInside(place, path) && existsSync(place))) {
    const place = join(source, relative(path, mounted));
    mkdirSync(dirname(place), { recursive: true });
    if (statSync(mounted).isDirectory()) mkdirSync(place, { recursive: true });
    else writeFileSync(place, '', { flag: 'a' });
  }
}

async function copyFolder(from: string, to: string): Promise<void> {
  if (countFiles(from, mostFiles) >= mostFiles) {
    throw new AssayError('WORKSPACE_FAILED', `The folder ${from} of a gate has more than ${mostFiles} files.`, {
      hint: 'Put the scripts of gates into a separate folder.',
    });
  }
  await copyTree(from, to, { skipsFolder: (_path, name) => leftOut.has(String(name)) });
}

function countFiles(folder: string, most: number): number {
  let count = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (count >= most) break;
    if (!entry.isDirectory()) count++;
    else if (!leftOut.has(entry.name)) count += countFiles(join(folder, entry.name), most - count);
  }
  return count;
}
