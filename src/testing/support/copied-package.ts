import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { packageRoot } from './plugin-project.ts';

const needed = /^$|^[^/]*\.js$|^cli$|^cli\/([^/]+\.cjs|build-id)$/;

/** Copies the built package, without pages and types, to where npm would install it. */
export async function copyPackage(folder: string): Promise<void> {
  const dist = join(packageRoot, 'dist');
  await mkdir(folder, { recursive: true });
  await cp(join(packageRoot, 'package.json'), join(folder, 'package.json'));
  await cp(join(packageRoot, 'bin'), join(folder, 'bin'), { recursive: true });
  const isNeeded = (path: string) => needed.test(path.slice(dist.length + 1));
  await cp(dist, join(folder, 'dist'), { recursive: true, filter: isNeeded });
}
