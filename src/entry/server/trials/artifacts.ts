import { Readable } from 'node:stream';
import { AssayError } from '../../../domain/errors.ts';
import type { TrialRecord } from '../../../domain/record.ts';
import { listArtifacts as listStored, readArtifact } from '../../../keep/bundles/artifacts.ts';
import type { TrialDetail } from '../api/trials.ts';
import type { ServerContext } from '../context.ts';
import { download } from '../download.ts';
import { findTrial } from './find-trial.ts';
import { listLocalArtifacts, openLocalArtifact } from './local-artifacts.ts';

/** A file that a trial left behind, wherever it lies. */
export interface FoundArtifact {
  readonly body: ReadableStream<Uint8Array>;
  readonly name: string;
  readonly bytes: number;
}

/** The files that a trial left behind, here or through the store on another machine; none where they are gone. */
export async function listArtifacts(record: TrialRecord, context: ServerContext): Promise<TrialDetail['artifacts']> {
  if (record.artifacts === null) return [];
  const local = await listLocalArtifacts(record, context);
  if (local) return local;
  const entries = (await listStored(ownerOf(record), context.files)) ?? [];
  return entries.flatMap((entry) => (entry.type === 'file' ? [{ path: entry.path, bytes: entry.byteCount }] : []));
}

/** One of them as a file to keep. */
export async function sendArtifact(trialId: string, path: string, context: ServerContext): Promise<Response> {
  const record = await findTrial(context.store, trialId);
  const found = (await openLocalArtifact(record, path, context)) ?? (await openStoredArtifact(record, path, context));
  if (!found) {
    throw new AssayError('FILE_NOT_FOUND', `The trial has left no file "${path}" behind.`, {
      hint: 'GET /api/trials/{trialId} lists what it has left.',
    });
  }
  return download(found.body, found.name, found.bytes);
}

async function openStoredArtifact(
  record: TrialRecord,
  path: string,
  { files }: ServerContext,
): Promise<FoundArtifact | undefined> {
  if (record.artifacts === null) return undefined;
  const found = await readArtifact(ownerOf(record), path, files);
  if (!found) return undefined;
  const body = Readable.toWeb(Readable.from(found.chunks)) as ReadableStream<Uint8Array>;
  return { body, name: path.slice(path.lastIndexOf('/') + 1), bytes: found.byteCount };
}

/** A result that was taken over from an earlier trial lies with that one. */
function ownerOf({ trialId, cachedFrom }: TrialRecord): string {
  return cachedFrom ?? trialId;
}
