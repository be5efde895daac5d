import type { Attachment } from '../../../domain/attachment.ts';
import type { Problem } from '../../../domain/problem.ts';
import type { DataPath, ParsedSource } from '../../sources/parsed-source.ts';

/** Looks at the attachments that a file names; problems are kept with their positions. */
interface AttachmentInspector {
  /** `at` is the list of paths in the file, or its only path. */
  inspect(paths: readonly string[], at: DataPath): Promise<Attachment[]>;
  refuse(at: DataPath, message: string): void;
}

interface Places {
  readonly directory: string;
  readonly projectFolder: string;
}

/** One for each scenario, because the size of all its attachments together is limited. */
export async function openInspector(
  source: ParsedSource,
  { directory, projectFolder }: Places,
  problems: Problem[],
): Promise<AttachmentInspector> {
  // Few scenarios have attachments, and then none of this need be loaded.
  const { attachmentLimits, inspectAttachment } = await import('../../../drive/attachments/inspect-attachment.ts');
  const sizes = new Map<string, number>();
  let isOverLimit = false;
  const refuse = (at: DataPath, message: string): void => {
    problems.push({ at: source.locate(at), message });
  };
  const inspectOne = async (path: string, at: DataPath): Promise<Attachment[]> => {
    if (path.includes('{{')) {
      refuse(at, `\`${path}\` cannot be attached: a path cannot have templates`);
      return [];
    }
    const inspected = await inspectAttachment(path, { directory, projectFolder });
    if ('problem' in inspected) {
      refuse(at, `\`${path}\` cannot be attached: ${inspected.problem}`);
      return [];
    }
    sizes.set(inspected.sha256, inspected.bytes);
    const total = [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0);
    if (total > attachmentLimits.totalBytes && !isOverLimit) {
      isOverLimit = true;
      refuse(at, `\`${path}\` cannot be attached: the attachments of the scenario are larger than 20 MB together`);
    }
    return [inspected];
  };
  return {
    refuse,
    async inspect(paths, at) {
      const attachments: Attachment[] = [];
      for (const [index, path] of paths.entries()) attachments.push(...(await inspectOne(path, [...at, index])));
      return attachments;
    },
  };
}
