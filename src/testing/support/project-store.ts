import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { openStore } from '../../keep/store/open-store.ts';
import type { Store } from '../../keep/store/store.ts';
import { contentKey } from '../../shared/ids.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** The server of `npm run test:postgres`, where every project gets its own schema. */
interface SharedServer {
  readonly bin: string;
  readonly url: string;
}

const given = process.env.ASSAY_TEST_POSTGRES;
const sharedServer: SharedServer | undefined = given === undefined ? undefined : JSON.parse(given);

/** Environment that makes the program keep the runs of the project in a folder of the tests. */
export function storeEnvironment(folder: string): Record<string, string> {
  return sharedServer ? { ASSAY_STORE: projectStoreUrl(folder) } : {};
}

/** Where the runs of the project in a folder are kept: beside it, or on the server that all tests share. */
export function projectStoreUrl(folder: string): string {
  if (!sharedServer) return 'sqlite:.assay/assay.db';
  const schema = schemaOf(folder);
  run('psql', ['--quiet', '--command', `set client_min_messages = warning; create schema if not exists ${schema}`]);
  return `${sharedServer.url}?options=${encodeURIComponent(`-c search_path=${schema}`)}`;
}

/** Opens the store that the program uses for the project in a folder. */
export function openProjectStore(folder: string): Promise<Store> {
  return openStore(projectStoreUrl(folder), folder);
}

/** The flags that keep the runs of a program out of the folder that it works in. */
export async function storeElsewhere(): Promise<string[]> {
  const folder = await temporaryFolder();
  return ['--store', sharedServer ? projectStoreUrl(folder) : `sqlite:${folder}/assay.db`];
}

/** All that is stored of a project, to look for what must not be there. */
export async function storedBytes(folder: string): Promise<Buffer> {
  if (!sharedServer) return readFile(join(folder, '.assay', 'assay.db'));
  return run('pg_dump', ['--data-only', '--inserts', '--schema', schemaOf(folder)]);
}

function schemaOf(folder: string): string {
  return `project_${contentKey([projectFolder(folder)])}`;
}

/** The folder of the config, as the program finds it. */
function projectFolder(folder: string): string {
  for (let above = folder; existsSync(above); above = dirname(above)) {
    if (readdirSync(above).some((name) => name.startsWith('assay.config.'))) return above;
    if (existsSync(join(above, '.git')) || dirname(above) === above) break;
  }
  return folder;
}

function run(program: string, args: readonly string[]): Buffer {
  const { bin, url } = sharedServer ?? { bin: '', url: '' };
  return execFileSync(join(bin, program), [...args, url], { maxBuffer: 1e9 });
}
