import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { AssayError } from '../../domain/errors.ts';

/**
 * Writes programs that can be started at once, by absolute path. Another process makes the files, because a file that
 * this one has open for writing could be inherited by whatever is started meanwhile, and would be refused as busy until
 * that has started.
 */
export async function writeExecutables(files: Readonly<Record<string, string | Buffer>>): Promise<void> {
  const paths = Object.keys(files);
  await makeFoldersOf(paths);
  await Promise.all(Object.entries(files).map(([path, content]) => writeFile(`${path}.draft`, content)));
  const child = spawn('/bin/sh', ['-c', copyScript, 'sh', ...paths], {
    env: { PATH: '/usr/bin:/bin' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    complaint += chunk;
  });
  const [exitCode] = await once(child, 'close');
  if (exitCode === 0) return;
  throw new AssayError('WORKSPACE_FAILED', `The recorder could not write ${paths.join(', ')}: ${complaint.trim()}`);
}

/** Makes the folders that contain the files. */
export async function makeFoldersOf(paths: readonly string[]): Promise<void> {
  await Promise.all([...new Set(paths.map(dirname))].map((folder) => mkdir(folder, { recursive: true })));
}

const copyScript = `
for file; do
  cat "$file.draft" >"$file" && chmod 755 "$file" || exit 1
  set -- "$@" "$file.draft"
  shift
done
rm -f "$@"
`;
