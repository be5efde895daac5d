import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asAssayError } from '../../domain/errors.ts';
import { heldProcess, heldStdio, releaseProcess } from '../workspace/held-process.ts';
import type { IsolatedFolders } from '../workspace/isolated-folders.ts';
import type { Isolation } from '../workspace/isolation.ts';
import { listenInNamespace } from './namespace-listeners.ts';

/** Any port: the network that is tried has no other listeners. */
const triedPort = 8_080;

/** Why the network of trials cannot be limited in an isolation; null where it can, which is really tried. */
export async function networkProblem(isolation: Isolation): Promise<string | null> {
  const { tier, wrapOffline } = isolation;
  if (wrapOffline === undefined) {
    return tier === 'none' ? 'nothing is isolated' : 'it has no network namespace';
  }
  const folder = await mkdtemp(join(tmpdir(), 'assay-network-'));
  try {
    const folders = { directory: join(folder, 'work'), home: join(folder, 'home'), tmp: join(folder, 'tmp') };
    for (const path of Object.values(folders)) await mkdir(path);
    return await tryNetwork(wrapOffline, { ...folders, writable: [] });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function tryNetwork(
  wrapOffline: NonNullable<Isolation['wrapOffline']>,
  folders: IsolatedFolders,
): Promise<string | null> {
  const [program, ...rest] = wrapOffline(['/bin/sh', '-c', ':'], folders);
  const child = spawn(program, rest, { cwd: folders.directory, stdio: [...heldStdio] });
  const closed = new Promise<void>((resolve) => {
    child.once('close', () => resolve());
    child.once('error', () => resolve());
  });
  try {
    const servers = await listenInNamespace(await heldProcess(child), [triedPort]);
    for (const server of servers.values()) server.close();
    releaseProcess(child);
    return null;
  } catch (error) {
    child.kill('SIGKILL');
    return asAssayError(error)
      .message.replace(/^[^:]*: /, '')
      .replace(/\.$/, '');
  } finally {
    await closed;
  }
}
