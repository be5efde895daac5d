import type { Attachment } from '../../../../domain/attachment.ts';
import { isTextFile, modelFile } from '../../../../drive/attachments/attached-file.ts';
import { OpenAttachments } from '../../../../drive/attachments/open-attachments.ts';
import type { JudgeSubject } from '../../../judge/judge.ts';

/**
 * The attachments of a judge: text is reference material like any other; images and documents are sent with the prompt,
 * and a reference names each with its digest, so verdicts in the cache belong to these bytes.
 */
export async function judgeAttachments(
  attachments: readonly Attachment[],
  directory: string,
): Promise<Pick<JudgeSubject, 'references' | 'files'>> {
  const opened = await new OpenAttachments(directory, undefined).read(attachments);
  const files = opened.filter((file) => !isTextFile(file)).map(modelFile);
  const references = opened.map((file) => ({
    name: file.name,
    text: isTextFile(file)
      ? new TextDecoder().decode(file.read())
      : `This file is attached to the prompt (${file.mediaType}, ${file.bytes} bytes, SHA-256 ${file.sha256}).`,
  }));
  return { references, ...(files.length > 0 && { files }) };
}
