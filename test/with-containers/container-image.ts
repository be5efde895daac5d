import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { writeFiles } from '../../src/testing/support/temporary-folder.ts';

/** Programs that gates of hostile agents use, and the folders of their files; those that this machine does not have are left out. */
const programs = ['/usr/bin/bash', '/usr/bin/git', '/usr/bin/python3', '/usr/bin/npm', '/usr/bin/printenv'];
const libraries = ['/usr/lib/git-core', '/usr/share/git-core', '/usr/lib/node_modules/npm'];

/** Certificates, without which some agents do not start even if their model is reached without TLS. */
const certificates = '/etc/ssl/certs/ca-certificates.crt';

/** The engine that the tests use, as a command. */
const engine = (process.env.ASSAY_CONTAINER_ENGINE ?? 'podman').split(' ') as [string, ...string[]];

export function runEngine(...args: string[]): string {
  const [program, ...options] = engine;
  return execFileSync(program, [...options, ...args], { encoding: 'utf8' }).trim();
}

/** Makes an image of busybox, some programs of this machine with their libraries, and a tool that only the image has. */
export async function makeImage(name: string): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'assay-image-'));
  await writeFiles(root, {
    'usr/bin/only-here': '#!/bin/sh\necho "in the image: $*"\n',
    // Node.js looks up the name of its user.
    'etc/passwd': 'root:x:0:0:root:/root:/bin/sh\n',
    'etc/group': 'root:x:0:\n',
  });
  for (const folder of ['bin', 'etc', 'proc', 'dev', 'tmp', 'usr/bin']) {
    mkdirSync(join(root, folder), { recursive: true });
  }
  copyFileSync('/usr/bin/busybox', join(root, 'bin/busybox'));
  const applets = execFileSync('/usr/bin/busybox', ['--list'], { encoding: 'utf8' }).trim().split('\n');
  for (const applet of applets.filter((one) => one !== 'busybox')) symlinkSync('busybox', join(root, 'bin', applet));
  // Scripts and agents name them by these paths.
  symlinkSync('/bin/busybox', join(root, 'usr/bin/env'));
  symlinkSync('/usr/bin/bash', join(root, 'bin/bash'));
  const python = existsSync('/usr/bin/python3') ? `/usr/lib/${basename(realpathSync('/usr/bin/python3'))}` : '';
  for (const program of [process.execPath, ...programs].filter((path) => existsSync(path))) putProgram(program, root);
  for (const library of systemLibraries()) putFile(library, root);
  if (existsSync(certificates)) putFile(certificates, root);
  for (const folder of [...libraries, python].filter((path) => existsSync(path))) {
    cpSync(folder, join(root, folder), { recursive: true, verbatimSymlinks: true });
  }
  const script = 'chmod 755 "$1/usr/bin/only-here"; tar -C "$1" -c . | "${@:3}" import - "$2"';
  execFileSync('/bin/bash', ['-c', script, 'bash', root, name, ...engine], { stdio: ['ignore', 'ignore', 'pipe'] });
  rmSync(root, { recursive: true });
}

/** Libraries that programs of agents load beside those of Node.js. */
const systemNames = [
  'librt.so.1',
  'libdl.so.2',
  'libpthread.so.0',
  'libm.so.6',
  'libgcc_s.so.1',
  'libstdc++.so.6',
  'libutil.so.1',
  'libffi.so.8',
];

function systemLibraries(): string[] {
  const folders = new Set(librariesOf(process.execPath).map((library) => dirname(library)));
  return [...folders]
    .flatMap((folder) => systemNames.map((name) => join(folder, name)))
    .filter((path) => existsSync(path));
}

function librariesOf(program: string): string[] {
  return spawnSync('ldd', [program], { encoding: 'utf8' }).stdout.match(/\/\S+(?= \()/g) ?? [];
}

/** Copies a program, the file that it links to, and the libraries that it loads. */
function putProgram(program: string, root: string): void {
  const real = realpathSync(program);
  putFile(real, root);
  if (real !== program) symlinkSync(real, join(root, program));
  for (const library of librariesOf(real)) putFile(library, root);
}

function putFile(file: string, root: string): void {
  mkdirSync(join(root, dirname(file)), { recursive: true });
  copyFileSync(file, join(root, file));
}
