import { hash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { type Attachment, attachmentArtifact } from '../../domain/attachment.ts';
import { AssayError } from '../../domain/errors.ts';
import { writeWhole } from '../../shared/redacted-files.ts';
import { type Redact, redactedBytes } from '../../shared/redaction/redaction.ts';
import type { AttachedFile } from './attached-file.ts';

/** Where the bytes that are sent are kept, and what must not be in them. */
interface ArtifactsPlace {
  readonly folder: string;
  readonly redact: Redact;
}

/** The attachments of a scenario, each read once; the bytes that are sent are kept once in the artifacts. */
export class OpenAttachments {
  readonly #directory: string;
  readonly #artifacts: ArtifactsPlace | undefined;
  readonly #files = new Map<string, Promise<AttachedFile>>();

  constructor(directory: string, artifacts: ArtifactsPlace | undefined) {
    this.#directory = directory;
    this.#artifacts = artifacts;
  }

  async read(attachments: readonly Attachment[]): Promise<readonly AttachedFile[]> {
    return Promise.all(attachments.map((attachment) => this.#file(attachment)));
  }

  #file(attachment: Attachment): Promise<AttachedFile> {
    const key = `${attachment.sha256} ${attachment.path}`;
    const file = this.#files.get(key) ?? this.#load(attachment);
    this.#files.set(key, file);
    return file;
  }

  async #load(attachment: Attachment): Promise<AttachedFile> {
    const { path, sha256 } = attachment;
    const content = await readFile(resolve(this.#directory, path)).catch((error: Error) => {
      throw unusable(path, `cannot be read: ${error.message}`);
    });
    if (hash('sha256', content) !== sha256) throw unusable(path, 'changed after the scenario was loaded');
    if (this.#artifacts) await keepOnce(attachmentArtifact(attachment), content, this.#artifacts);
    let base64: string | undefined;
    return {
      ...attachment,
      name: basename(path),
      read: () => content,
      base64: () => {
        base64 ??= content.toString('base64');
        return base64;
      },
    };
  }
}

/** The name is the digest, so a file that is there already is this one. */
async function keepOnce(name: string, content: Buffer, { folder, redact }: ArtifactsPlace): Promise<void> {
  const file = join(folder, name);
  if (await stat(file).catch(() => undefined)) return;
  await writeWhole(file, redactedBytes(content, redact));
}

function unusable(path: string, why: string): AssayError {
  return new AssayError('TARGET_NOT_LOADED', `The attachment ${path} ${why}.`, {
    hint: 'Keep the file as it is while scenarios with it run, and run them again.',
  });
}
