import type { Attachment } from '../../domain/attachment.ts';

/** An attachment whose bytes were read and are those that the scenario was loaded with. */
export interface AttachedFile extends Attachment {
  /** Name of the file without its folder. */
  readonly name: string;
  read(): Uint8Array;
  base64(): string;
}

/** Whether a file is sent as text, which every model takes. */
export function isTextFile({ mediaType }: Pick<Attachment, 'mediaType'>): boolean {
  return mediaType === 'text/plain';
}

/** A text file as a part of a prompt. */
export function fileText(name: string, content: Uint8Array): string {
  return `${name}:\n\n${new TextDecoder().decode(content)}`;
}

/** A file beside the text of a message; recordings and their keys hold its digest instead of its bytes. */
export interface ModelFile {
  readonly name: string;
  readonly mediaType: string;
  readonly sha256: string;
  /** Size of the file. */
  readonly bytes: number;
  /** Absent in what was recorded: a function is not part of JSON. */
  readonly read?: (() => Uint8Array) | undefined;
}

/** The file as models take it. */
export function modelFile({ name, mediaType, sha256, bytes, read }: AttachedFile): ModelFile {
  return { name, mediaType, sha256, bytes, read };
}
