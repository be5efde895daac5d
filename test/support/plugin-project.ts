import { mkdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from './temporary-folder.ts';

/** The checkout, which is also the built package. */
export const packageRoot = fileURLToPath(new URL('../..', import.meta.url));

/** A project outside of the repository, in which `assay` and some packages beside it are installed. */
export async function pluginProject(
  files: Readonly<Record<string, string>>,
  installed: readonly string[] = ['zod'],
): Promise<string> {
  const folder = await temporaryFolder(files);
  await mkdir(join(folder, 'node_modules'), { recursive: true });
  await symlink(packageRoot, join(folder, 'node_modules', 'assay'));
  for (const name of installed)
    await symlink(join(packageRoot, 'node_modules', name), join(folder, 'node_modules', name));
  return folder;
}

/** A sample plug-in, with the package in place of the sources that the compiler checks it against here. */
export async function samplePlugin(name: 'politeness' | 'echo'): Promise<string> {
  const text = await readFile(new URL(`../fixtures/plugins/${name}.ts`, import.meta.url), 'utf8');
  return text.replace("'../../../src/index.ts'", "'assay'");
}
