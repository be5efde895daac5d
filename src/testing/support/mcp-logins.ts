import type { ChildProcess } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type CommandResult, ended, startAssay } from './assay.ts';
import { storedBytes } from './project-store.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** Lets the program find the keyring of a test. */
export const keyringHook = new URL('../fakes/oauth/use-keyring-package.mjs', import.meta.url).href;

/** A machine with a keyring, which is not among the files of the project. */
export async function machineWithKeyring(): Promise<Record<string, string>> {
  return { NODE_OPTIONS: `--import ${keyringHook}`, FAKE_KEYRING_FILE: join(await temporaryFolder(), 'keyring.json') };
}

/** Opens the page that the program prints, as the browser of the user. */
async function visitPage(child: ChildProcess): Promise<void> {
  let printed = '';
  await new Promise<void>((resolve) => {
    child.stderr?.on('data', (text) => {
      printed += String(text);
      if (/http\S+\/authorize\?\S+\n/.test(printed)) resolve();
    });
    child.on('close', () => resolve());
  });
  const [page] = /http\S+\/authorize\?\S+/.exec(printed) ?? [];
  if (page !== undefined) await fetch(page);
}

/** Logs in as a user who agrees. */
export async function logIn(args: readonly string[], cwd: string, env: Record<string, string>): Promise<CommandResult> {
  const child = startAssay(['mcp', 'login', '--no-browser', ...args], { cwd, env });
  const [result] = await Promise.all([ended(child), visitPage(child)]);
  return result;
}

/** Every file below the folder of a project that holds one of the texts, and its store, wherever that is. */
export async function filesWith(folder: string, texts: Iterable<string>): Promise<string[]> {
  const forms = [...texts].flatMap((text) => [text, Buffer.from(text).toString('base64').replace(/=+$/, '')]);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const read = await Promise.all(files.map(async (file) => [file, await contentOf(file)] as const));
  const contents = [...read, ['the store', (await storedBytes(folder)).toString('latin1')] as const];
  if (contents.length < 3) throw new Error(`There is nothing to search in ${folder}.`);
  return contents.filter(([, content]) => forms.some((form) => content.includes(form))).map(([file]) => file);
}

/** Empty for a file that is gone: those of a store that is being closed are removed. */
async function contentOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'latin1');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}
