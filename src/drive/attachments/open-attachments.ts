import { hash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { type Attachment, attachmentArtifact } from '../../domain/attachment.ts';
import { AssayError } from '../../domain/errors.ts';
import { writeWhole } from '../../shared/write-whole.ts';
import type { AttachedFile } from './attached-file.ts';

/** The attachments of a scenario, each read once; the bytes that are sent are kept once in the artifacts. */
export class OpenAttachments {
  readonly #directory: string;
  readonly #artifactsFolder: string | undefined;
  readonly #files = new Map<string, Promise<AttachedFile>>();

  constructor(directory: string, artifactsFolder: string | undefined) {
    this.#directory = directory;
    this.#artifactsFolder = artifactsFolder;
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
    if (this.#artifactsFolder !== undefined)
      await keepOnce(join(this.#artifactsFolder, attachmentArtifact(attachment)), content);
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

/** The name is the digest, so a file that is there already has these bytes. */
async function keepOnce(file: string, content: Uint8Array): Promise<void> {
  if (await stat(file).catch(() => undefined)) return;
  await writeWhole(file, content);
}

function unusable(path: string, why: string): AssayError {
  return new AssayError('TARGET_NOT_LOADED', `The attachment ${path} ${why}.`, {
    hint: 'Keep the file as it is while scenarios with it run, and run them again.',
  });
}
