import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from './cached-packages.mjs';

/** A Debian package that holds the official tests of JSON Schema; it is unpacked, not installed. */
const debianPackage = 'libtest-json-schema-acceptance-perl';
const insideOfPackage = 'usr/share/perl5/auto/share/dist/Test-JSON-Schema-Acceptance';

const unpacked = join(cacheFolder(), 'assay-json-schema-tests');

/**
 * The folder with the official tests of JSON Schema: a checkout of them that `ASSAY_JSON_SCHEMA_TESTS` names, or what
 * `fetchJsonSchemaTests` got; undefined where there is none.
 */
export function findJsonSchemaTests() {
  const places = [process.env.ASSAY_JSON_SCHEMA_TESTS ?? '', join(unpacked, insideOfPackage)];
  return places
    .filter((place) => place !== '')
    .map((place) => join(place, 'tests'))
    .find((place) => existsSync(place));
}

/** Downloads them where Debian's package manager is at hand; without it nothing happens. */
export function fetchJsonSchemaTests() {
  const folder = `${unpacked}.${process.pid}`;
  mkdirSync(folder, { recursive: true });
  const run = (program, args) => spawnSync(program, args, { cwd: folder, stdio: 'ignore', timeout: 120_000 });
  run('apt-get', ['download', debianPackage]);
  const file = readdirSync(folder).find((name) => name.endsWith('.deb'));
  if (file !== undefined && run('dpkg-deb', ['--extract', file, 'content']).status === 0) {
    rmSync(unpacked, { recursive: true, force: true });
    renameSync(join(folder, 'content'), unpacked);
  }
  rmSync(folder, { recursive: true, force: true });
}
