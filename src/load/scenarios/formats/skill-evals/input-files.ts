import { existsSync } from 'node:fs';
import { isAbsolute, join, posix, relative } from 'node:path';
import type { DataPath } from '../../../sources/parsed-source.ts';
import type { FileReading } from '../tolerant-parse.ts';

/** A file or folder that a case begins with. */
export interface InputFile {
  /** Absolute. */
  readonly from: string;
  /** In the work directory. */
  readonly to: string;
}

interface Place extends Pick<FileReading, 'source' | 'context' | 'found'> {
  /** The folder of the skill, absolute. */
  readonly folder: string;
}

/** Finds the input files of a task; published files name them relative to the skill, some relative to `evals`. */
export function inputFilesOf(written: readonly string[], path: DataPath, place: Place): InputFile[] {
  const files: InputFile[] = [];
  for (const [index, name] of written.entries()) {
    const found = findInput(name, place);
    if ('message' in found) place.found.problems.push({ at: place.source.locate([...path, index]), ...found });
    else if (files.some(({ to }) => to === found.to))
      place.found.problems.push({
        at: place.source.locate([...path, index]),
        message: `two files would be \`${found.to}\` in the work directory`,
      });
    else files.push(found);
  }
  return files;
}

function findInput(name: string, { folder, context }: Place): InputFile | { readonly message: string } {
  const normal = posix.normalize(name).replace(/\/$/, '');
  if (isAbsolute(name) || normal === '.' || normal.split('/')[0] === '..')
    return { message: `\`${name}\` is not below the folder of the skill` };
  const from = [folder, context.directory].map((base) => join(base, normal)).find((file) => existsSync(file));
  if (from === undefined) return { message: `there is no file \`${name}\` in the folder of the skill` };
  return { from, to: placeOf(relative(folder, from).replaceAll('\\', '/')) };
}

/** The work directory has what is below `evals/files`, or else below `evals`, under the same path. */
function placeOf(path: string): string {
  return path.replace(/^evals\/(?:files\/)?(?=.)/, '');
}

/** The prompt, which names the input files that it does not mention by their paths. */
export function promptWithFiles(prompt: string, files: readonly InputFile[]): string {
  const unnamed = files.map(({ to }) => to).filter((path) => !prompt.includes(path));
  return unnamed.length === 0 ? prompt : `${prompt}\n\nInput files: ${unnamed.join(', ')}`;
}
