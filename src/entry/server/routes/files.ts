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
import { jsonRoute } from '../route.ts';

const tag = 'files';
const params = z.object({ path: z.string().max(2_000).describe('relative to the project, with slashes') });

/** The config names programs to start and where keys are sent, so only owners write it as a whole. */
function roleFor(path: string): Role {
  return isConfigPath(path) ? 'owner' : 'editor';
}

/** The files of the project as an editor works on them. */
export const fileRoutes = [
  jsonRoute({
    method: 'get',
    path: '/api/files/{path*}',
    tag,
    role: 'reader',
    summary: 'A scenario, rubric or config file with its problems; secrets that are written out in it are masked.',
    params,
    answer: projectFileSchema,
    handle: ({ params: { path } }, { projectCache }) => projectCache.files.read(path),
  }),
  jsonRoute({
    method: 'put',
    path: '/api/files/{path*}',
    tag,
    role: 'editor',
    summary: 'Writes a file as a whole; one that changed since it was read is left alone (409).',
    params,
    body: writeFileSchema,
    answer: projectFileSchema,
    async handle({ params: { path }, body, caller }, { projectCache }) {
      requireRole(caller, roleFor(path));
      return doneOrConflict(await projectCache.files.write(path, body));
    },
  }),
  jsonRoute({
    method: 'delete',
    path: '/api/files/{path*}',
    tag,
    role: 'editor',
    summary: 'Deletes a file, unless it changed since it was read (409).',
    params,
    body: deleteRevisionSchema,
    answer: z.null(),
    async handle({ params: { path }, body, caller }, { projectCache }) {
      requireRole(caller, roleFor(path));
      return doneOrConflict(await projectCache.files.delete(path, body.revision));
    },
  }),
  jsonRoute({
    method: 'post',
    path: '/api/files-check',
    tag,
    role: 'editor',
    summary: 'Problems that a text would have as the content of the file; nothing is written.',
    body: checkFileSchema,
    answer: fileCheckSchema,
    handle: ({ body, raw }, { projectCache }) => projectCache.files.check(body, raw.signal),
  }),
];
