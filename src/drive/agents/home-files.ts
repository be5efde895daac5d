import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Writes a settings file into an agent's home, readable by nobody else; returns its absolute path. */
export async function writeHomeFile(home: string, name: string, text: string): Promise<string> {
  const file = join(home, name);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text, { mode: 0o600 });
  return file;
}
