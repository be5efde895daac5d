import { mkdirSync, statSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AssayError } from '../domain/errors.ts';
import type { EvaluatedWorkspace } from '../domain/evaluated-workspace.ts';
import type { Trial } from '../domain/trial.ts';
import type { CliToolConfig } from '../drive/targets/agent-task/cli-tool-config.ts';
import type { KeptWorkspace } from '../engine/rescore.ts';
import type { Evaluator } from '../score/evaluators/evaluator.ts';

type Env = Readonly<Record<string, string | undefined>>;

interface WorkOfTrial {
  readonly trial: Trial;
  /** Absolute: where the trial left its work; undefined where nobody knows. */
  readonly folder: string | undefined;
  readonly evaluators: ReadonlyMap<string, Evaluator>;
  readonly env: Env;
}

/**
 * Makes the work that a trial left behind ready to be looked at again. Gates and scripts run commands in it, so they
 * get a copy: what the trial left stays as it is.
 */
export async function openKeptWork(work: WorkOfTrial): Promise<KeptWorkspace> {
  const { trial, folder, evaluators } = work;
  const isLookedAt = trial.case.evaluators.some(({ type }) => {
    const evaluator = evaluators.get(type);
    return evaluator?.needs.includes('workspace') && !evaluator.readsTraceOnly;
  });
  if (!isLookedAt) return nothingKept(undefined);
  if (folder === undefined) return nothingKept(gone('No work directory is kept of the trial.'));
  if (!statSync(join(folder, 'fixture'), { throwIfNoEntry: false })?.isDirectory()) {
    return nothingKept(
      gone(`The work directory of the trial is gone: ${join(folder, 'fixture')} is not there any more.`),
    );
  }
  const { copyTree } = await import('../drive/workspace/copy-tree.ts');
  const copy = await realpath(await mkdtemp(join(tmpdir(), 'assay-rescore-')));
  const remove = () => rm(copy, { recursive: true, force: true });
  try {
    await copyTree(folder, copy, { isFresh: true, skipsFolder: isForeign });
    return { workspace: await workspaceIn(copy, work), workspaceFault: undefined, [Symbol.asyncDispose]: remove };
  } catch (error) {
    await remove();
    const why = error instanceof Error ? error.message : String(error);
    return nothingKept(new AssayError('WORKSPACE_FAILED', `The kept work directory cannot be copied: ${why}`));
  }
}

/** Of the folders beside the work directory, only HOME is part of the work. */
function isForeign(path: string): boolean {
  return path.lastIndexOf('/') === 0 && path !== '/fixture' && path !== '/home';
}

function nothingKept(workspaceFault: AssayError | undefined): KeptWorkspace {
  return { workspace: undefined, workspaceFault, [Symbol.asyncDispose]: async () => undefined };
}

function gone(message: string): AssayError {
  return new AssayError('WORKSPACE_FAILED', message, {
    hint: 'What looks at files cannot be asked again; run the scenario anew.',
  });
}

/** The environment is that of the trial, as far as today's scenario and machine have it. */
async function workspaceIn(copy: string, { trial, env }: WorkOfTrial): Promise<EvaluatedWorkspace> {
  const { trialEnvironment, withProgram } = await import('../drive/targets/agent-task/trial-environment.ts');
  const { trialFolder } = await import('../drive/targets/agent-task/trial-folder.ts');
  const { tryFind } = await import('../drive/targets/agent-task/make-ready.ts');
  const folder = trialFolder(copy, copy);
  const workspace = { directory: join(copy, 'fixture'), home: join(copy, 'home'), tmp: join(copy, 'tmp') };
  for (const path of [workspace.home, workspace.tmp]) mkdirSync(path, { recursive: true, mode: 0o700 });
  const { scenario } = trial;
  const config = scenario.target.type === 'cli-tool' ? (scenario.target.config as CliToolConfig) : undefined;
  const known = trialEnvironment(trial, { env: config?.env ?? {} }, folder, workspace, env);
  const program = config && tryFind(config, config, { env: known, workspace, context: scenario });
  return {
    directory: workspace.directory,
    env: withProgram(known.after, program),
    transcriptFile: folder.transcriptFile,
  };
}
