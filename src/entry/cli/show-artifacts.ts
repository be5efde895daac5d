import { openProject } from '../../compose/config/project.ts';
import { localArtifacts } from '../../compose/distributed/artifacts.ts';
import { AssayError } from '../../domain/errors.ts';
import { StoredFiles } from '../../keep/bundles/stored-files.ts';
import { type CliContext, write } from './context.ts';
import { openProjectDatabase } from './open-project-store.ts';

/** Prints where the files are that a trial left behind, and fetches them where another machine has run it. */
export async function showArtifacts(
  what: string,
  storeFlag: string | undefined,
  context: CliContext,
  asJson: boolean,
): Promise<number> {
  const project = await openProject(context.cwd, context.env);
  const { store, db } = await openProjectDatabase(context, storeFlag, project);
  await using _open = store;
  const record = await store.findTrial(what);
  if (!record) throw new AssayError('NOT_FOUND', `There is no trial "${what}" in the store.`);
  const folder = await localArtifacts(record, project, new StoredFiles(db));
  if (folder === undefined) throw nothingThere(record.trialId, record.artifacts);
  await write(context.stdout, asJson ? `${JSON.stringify({ trialId: record.trialId, folder })}\n` : `${folder}\n`);
  return 0;
}

function nothingThere(trialId: string, artifacts: string | null): AssayError {
  if (artifacts === null) {
    return new AssayError('NOT_FOUND', `${trialId} has left no files behind.`, {
      hint: 'Only trials with agents leave files; `assay show` without --artifacts prints what was seen.',
    });
  }
  return new AssayError('NOT_FOUND', `What ${trialId} left behind is neither here nor in the store.`, {
    hint: 'It lies on the machine that ran the trial, or was removed.',
  });
}
