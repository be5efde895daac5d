import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { writeFiles } from '../../src/testing/support/temporary-folder.ts';

const applets = [
  'sh',
  'cat',
  'ls',
  'sleep',
  'true',
  'echo',
  'kill',
  'touch',
  'id',
  'env',
  'setsid',
  'grep',
  'tr',
  'head',
  'rm',
  'ln',
  'cp',
  'mkdir',
  'awk',
];

/** The engine that the tests use, as a command. */
const engine = (process.env.ASSAY_CONTAINER_ENGINE ?? 'podman').split(' ') as [string, ...string[]];

export function runEngine(...args: string[]): string {
  const [program, ...options] = engine;
  return execFileSync(program, [...options, ...args], { encoding: 'utf8' }).trim();
}

/** Makes an image of busybox, the Node.js of this machine with its libraries, and a tool that only the image has. */
export async function makeImage(name: string): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'assay-image-'));
  await writeFiles(root, { 'usr/bin/only-here': '#!/bin/sh\necho "in the image: $*"\n' });
  const put = (file: string): void => {
    mkdirSync(join(root, dirname(file)), { recursive: true });
    copyFileSync(file, join(root, file));
  };
  for (const folder of ['bin', 'etc', 'proc', 'dev', 'tmp', 'usr/bin']) {
    mkdirSync(join(root, folder), { recursive: true });
  }
  copyFileSync('/usr/bin/busybox', join(root, 'bin/busybox'));
  for (const applet of applets) symlinkSync('busybox', join(root, 'bin', applet));
  put(process.execPath);
  const libraries = execFileSync('ldd', [process.execPath], { encoding: 'utf8' }).match(/\/\S+(?= \()/g) ?? [];
  for (const library of libraries) put(library);
  const script = 'chmod 755 "$1/usr/bin/only-here"; tar -C "$1" -c . | "${@:3}" import - "$2"';
  execFileSync('/bin/bash', ['-c', script, 'bash', root, name, ...engine], { stdio: ['ignore', 'ignore', 'pipe'] });
  rmSync(root, { recursive: true });
}
