import { lstat, realpath } from 'node:fs/promises';
import { dirname, extname, join, relative, sep } from 'node:path';
import { AssayError } from '../../../domain/errors.ts';
import { dataExtensions, fileFault, moduleExtensions } from '../../../load/sources/source-file.ts';

/** A file of the project that a request may name, whether it is there or not. */
export interface FilePlace {
  /** Relative to the project, with slashes. */
  readonly path: string;
  /** Its real path, through links. */
  readonly absolute: string;
  readonly isThere: boolean;
}

const readableEndings: readonly string[] = [...dataExtensions, '.toml', ...moduleExtensions];
const closedFolders = new Set(['node_modules']);
const longestPath = 1_000;

/** Files that can be requested in one place. */
interface RequestedFiles {
  readonly endings: readonly string[];
  readonly hint: string;
}

const textFiles: RequestedFiles = {
  endings: readableEndings,
  hint: 'Name a scenario, rubric or config file inside the project.',
};

/** The place of a requested file; paths out of the project and to generated files are refused. */
export async function placeOf(folder: string, path: string, files = textFiles): Promise<FilePlace> {
  const root = await realpath(folder);
  const problem = pathProblem(path, files);
  if (problem !== undefined) throw refusal(path, problem, files);
  const named = join(root, ...path.split('/'));
  const { absolute, isThere } = await realPlace(named, path, files);
  const inside = relative(root, absolute).split(sep).join('/');
  const realProblem = inside === '' ? 'this is not a file' : pathProblem(inside, files);
  if (realProblem !== undefined) throw refusal(path, `through a link: ${realProblem}`, files);
  return { path, absolute, isThere };
}

/** The problem of a relative path with slashes; undefined for a good one. */
function pathProblem(path: string, { endings }: RequestedFiles): string | undefined {
  const steps = path.split('/');
  if (path === '' || path.length > longestPath) return `a path has 1 to ${longestPath} characters`;
  if (/[\u0000-\u001f\u007f\\]/.test(path)) return 'control characters and backslashes are not allowed';
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path)) return 'the path must be relative to the project';
  if (steps.some((step) => step === '' || step === '.' || step === '..')) return 'it must not lead out of the project';
  if (steps.some((step) => step.startsWith('.') || closedFolders.has(step)))
    return 'hidden and generated files cannot be opened';
  if (!endings.includes(extname(path).toLowerCase())) return `a file ends in ${endings.join(', ')}`;
  return undefined;
}

async function realPlace(
  named: string,
  path: string,
  files: RequestedFiles,
): Promise<Pick<FilePlace, 'absolute' | 'isThere'>> {
  try {
    if (await isEntry(named)) {
      const absolute = await realpath(named);
      if (!(await lstat(absolute)).isFile()) throw refusal(path, 'this is not a file', files);
      return { absolute, isThere: true };
    }
    let above = dirname(named);
    while (!(await isEntry(above))) above = dirname(above);
    return { absolute: join(await realpath(above), relative(above, named)), isThere: false };
  } catch (error) {
    throw error instanceof AssayError ? error : refusal(path, fileFault(error), files);
  }
}

/** Whether something has that name, be it a link that leads nowhere. */
async function isEntry(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

function refusal(path: string, why: string, { hint }: RequestedFiles): AssayError {
  return new AssayError('USAGE', `"${path}" cannot be opened: ${why}.`, { hint });
}
