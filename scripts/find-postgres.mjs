import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const packaged = '/usr/lib/postgresql';

/**
 * The folder with the programs of a Postgres server, for tests and measurements: `ASSAY_POSTGRES_BIN`, one on the path,
 * or the newest that Debian installed; undefined where there is none.
 */
export function findPostgres() {
  const onPath = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  const versions = existsSync(packaged) ? readdirSync(packaged).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [...onPath, ...versions.map((version) => join(packaged, version, 'bin'))];
  return [process.env.ASSAY_POSTGRES_BIN ?? '', ...folders].find(
    (folder) => folder !== '' && ['initdb', 'postgres', 'pg_dump'].every((name) => existsSync(join(folder, name))),
  );
}
