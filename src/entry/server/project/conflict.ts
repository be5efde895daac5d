import type { ProjectFile } from '../api/project.ts';
import { Refusal } from '../refusal.ts';
import type { Written } from './project-files.ts';

/** What was done, or a refusal with what the file is now. */
export function doneOrConflict<Done>(written: Written<Done>): Done {
  if ('done' in written) return written.done;
  const { current } = written;
  throw new Refusal(409, 'FILE_CONFLICT', conflictText(current), {
    hint: 'Look at what the file is now, then decide which of both to keep.',
    details: { current },
  });
}

function conflictText(current: ProjectFile | null): string {
  if (current === null) return 'The file is gone: somebody deleted or moved it meanwhile.';
  return `${current.path} is not what was read: somebody changed it meanwhile.`;
}
