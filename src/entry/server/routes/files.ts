import * as z from 'zod';
import { requireRole } from '../access/caller.ts';
import type { Role } from '../api/access.ts';
import {
  checkFileSchema,
  deleteRevisionSchema,
  fileCheckSchema,
  projectFileSchema,
  writeFileSchema,
} from '../api/project.ts';
import { isConfigPath } from '../files/check-text.ts';
import { doneOrConflict } from '../files/project-files.ts';
import { route, tagged } from '../route.ts';

/** The config names programs to start and where keys are sent, so only owners write it as a whole. */
function roleFor(path: string): Role {
  return isConfigPath(path) ? 'owner' : 'editor';
}

/** The files of the project as an editor works on them. */
export const fileRoutes = tagged('files', [
  route('GET /api/files/{path*}', 'reader', {
    summary: 'A scenario, rubric or config file with its problems; secrets that are written out in it are masked.',
    answer: projectFileSchema,
    handle: ({ params: { path } }, { projectCache }) => projectCache.files.read(path),
  }),
  route('PUT /api/files/{path*}', 'editor', {
    summary: 'Writes a file as a whole; one that changed since it was read is left alone (409).',
    body: writeFileSchema,
    answer: projectFileSchema,
    async handle({ params: { path }, body, caller }, { projectCache }) {
      requireRole(caller, roleFor(path));
      return doneOrConflict(await projectCache.files.write(path, body));
    },
  }),
  route('DELETE /api/files/{path*}', 'editor', {
    summary: 'Deletes a file, unless it changed since it was read (409).',
    body: deleteRevisionSchema,
    answer: z.null(),
    async handle({ params: { path }, body, caller }, { projectCache }) {
      requireRole(caller, roleFor(path));
      return doneOrConflict(await projectCache.files.delete(path, body.revision));
    },
  }),
  route('POST /api/files-check', 'editor', {
    summary: 'Problems that a text would have as the content of the file; nothing is written.',
    body: checkFileSchema,
    answer: fileCheckSchema,
    handle: ({ body, raw }, { projectCache }) => projectCache.files.check(body, raw.signal),
  }),
]);
