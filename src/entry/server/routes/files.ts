import * as z from 'zod';
import {
  checkFileSchema,
  deleteRevisionSchema,
  fileCheckSchema,
  projectFileSchema,
  writeFileSchema,
} from '../api/project.ts';
import { doneOrConflict } from '../files/project-files.ts';
import { jsonRoute } from '../route.ts';

const tag = 'files';
const params = z.object({ path: z.string().max(2_000).describe('relative to the project, with slashes') });

/** The files of the project as an editor works on them. */
export const fileRoutes = [
  jsonRoute({
    method: 'get',
    path: '/api/files/{path*}',
    tag,
    summary: 'A scenario, rubric or config file with its problems; secrets that are written out in it are masked.',
    params,
    answer: projectFileSchema,
    handle: ({ params: { path } }, { projectCache }) => projectCache.files.read(path),
  }),
  jsonRoute({
    method: 'put',
    path: '/api/files/{path*}',
    tag,
    summary: 'Writes a file as a whole; one that changed since it was read is left alone (409).',
    params,
    body: writeFileSchema,
    answer: projectFileSchema,
    handle: async ({ params: { path }, body }, { projectCache }) =>
      doneOrConflict(await projectCache.files.write(path, body)),
  }),
  jsonRoute({
    method: 'delete',
    path: '/api/files/{path*}',
    tag,
    summary: 'Deletes a file, unless it changed since it was read (409).',
    params,
    body: deleteRevisionSchema,
    answer: z.null(),
    handle: async ({ params: { path }, body }, { projectCache }) =>
      doneOrConflict(await projectCache.files.delete(path, body.revision)),
  }),
  jsonRoute({
    method: 'post',
    path: '/api/files-check',
    tag,
    summary: 'Problems that a text would have as the content of the file; nothing is written.',
    body: checkFileSchema,
    answer: fileCheckSchema,
    handle: ({ body }, { projectCache }) => projectCache.files.check(body),
  }),
];
