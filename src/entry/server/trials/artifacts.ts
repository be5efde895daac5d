import { createReadStream } from 'node:fs';
import { lstat, open, readdir, realpath } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { artifactsFolder, type Project } from '../../../compose/config/project.ts';
import { projectRedaction, projectSecrets } from '../../../compose/config/redaction.ts';
import { AssayError } from '../../../domain/errors.ts';
import type { TrialRecord } from '../../../domain/record.ts';
import { listArtifacts as listStored, readArtifact } from '../../../keep/bundles/artifacts.ts';
import { requireTrial } from '../../../keep/store/store.ts';
import { type RedactingStream, redactingStream } from '../../../shared/redaction/redacting-stream.ts';
import type { TrialDetail } from '../api/trials.ts';
import type { ServerContext } from '../context.ts';
import { download } from '../download.ts';

const mostListed = 1_000;
const deepest = 12;

/** The files that a trial left on this machine; undefined where it left none, or they are gone. */
async function listLocalArtifacts(
  record: TrialRecord,
  context: ServerContext,
): Promise<TrialDetail['artifacts'] | undefined> {
  const place = await folderOf(record, context);
  if (place === undefined) return undefined;
  const redact = projectRedaction(place.project, context.env);
  const listed = await allIn(place.root);
  return listed.map(({ path, bytes }) => ({ path: redact(path), bytes }));
}

async function allIn(root: string): Promise<TrialDetail['artifacts']> {
  const listed: TrialDetail['artifacts'] = [];
  await listInto(listed, root, root, 0);
  return listed.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/**
 * One of them, by its name in the list. Names and links that lead out of the trial's folder lead nowhere. The work directory is
 * kept as the agent left it, so secrets are taken out of its texts here.
 */
async function openLocalArtifact(
  record: TrialRecord,
  path: string,
  context: ServerContext,
): Promise<FoundArtifact | undefined> {
  const place = await folderOf(record, context);
  if (place === undefined) return undefined;
  const { root, project } = place;
  const real = await realpathIn(root, path).catch(() =>
    realpathOfListed(root, path, projectRedaction(project, context.env)),
  );
  if (!real?.startsWith(`${root}${sep}`)) return undefined;
  const file = await open(real, 'r').catch(() => undefined);
  const entry = await file?.stat();
  if (!file || !entry?.isFile()) {
    await file?.close();
    return undefined;
  }
  const bytes = createReadStream('', { fd: file });
  const clean = Readable.from(withoutSecrets(bytes, projectSecrets(project, context.env)));
  const body = Readable.toWeb(clean) as ReadableStream<Uint8Array>;
  return { body, name: path.slice(path.lastIndexOf('/') + 1) };
}

function realpathIn(root: string, path: string): Promise<string> {
  return realpath(join(root, path));
}

/** Of the file whose name has a secret, which the list shows without it. */
async function realpathOfListed(root: string, path: string, redact: (text: string) => string) {
  const found = (await allIn(root)).find((each) => redact(each.path) === path);
  return found && realpathIn(root, found.path);
}

/** Without known secrets, and texts without what looks like one, which in other files is chance. */
async function* withoutSecrets(bytes: AsyncIterable<Buffer>, secrets: readonly string[]): AsyncGenerator<Buffer, void> {
  let cleaning:
    | { readonly decoder: StringDecoder; readonly filter: RedactingStream; readonly encoding: Encoding }
    | undefined;
  for await (const piece of bytes) {
    const isText = !piece.includes(0);
    const encoding = isText ? 'utf8' : 'latin1';
    cleaning ??= {
      decoder: new StringDecoder(encoding),
      filter: redactingStream({ secrets, withPatterns: isText }),
      encoding,
    };
    yield Buffer.from(cleaning.filter.push(cleaning.decoder.write(piece)), cleaning.encoding);
  }
  if (cleaning)
    yield Buffer.from(cleaning.filter.push(cleaning.decoder.end()) + cleaning.filter.end(), cleaning.encoding);
}

type Encoding = 'utf8' | 'latin1';

/** By its real path; undefined where nothing was left, or it is gone. A config that is wrong hides no trial. */
async function folderOf(
  { artifacts }: TrialRecord,
  context: ServerContext,
): Promise<{ readonly root: string; readonly project: Project } | undefined> {
  if (artifacts === null) return undefined;
  const project = await context.project().catch(() => undefined);
  if (!project) return undefined;
  const all = await realpath(artifactsFolder(project)).catch(() => undefined);
  if (all === undefined) return undefined;
  const folder = await realpath(join(all, artifacts)).catch(() => undefined);
  return folder?.startsWith(`${all}${sep}`) ? { root: folder, project } : undefined;
}

async function listInto(listed: TrialDetail['artifacts'], root: string, folder: string, depth: number): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    if (listed.length >= mostListed) return;
    const path = join(folder, entry.name);
    if (entry.isDirectory() && depth < deepest) await listInto(listed, root, path, depth + 1);
    if (!entry.isFile()) continue;
    const bytes = await sizeOf(path);
    if (bytes !== undefined) listed.push({ path: relative(root, path).split(sep).join('/'), bytes });
  }
}

/** Undefined for a file that is gone meanwhile. */
function sizeOf(path: string): Promise<number | undefined> {
  return lstat(path).then(
    ({ size }) => size,
    () => undefined,
  );
}

/** A file that a trial left behind, wherever it lies. */
interface FoundArtifact {
  readonly body: ReadableStream<Uint8Array>;
  readonly name: string;
  /** Undefined where it is known only at the end. */
  readonly bytes?: number;
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
  const record = await requireTrial(context.store, trialId);
  const found = (await openLocalArtifact(record, path, context)) ?? (await openStoredArtifact(record, path, context));
  if (!found) {
    throw new AssayError('FILE_NOT_FOUND', `The trial left no file "${path}".`, {
      hint: 'See GET /api/trials/{trialId} for the files of the trial.',
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
