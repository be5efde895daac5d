import { spawnSync } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';

const fileCalls = ['pread64', 'pwrite64', 'fsync', 'fdatasync', 'ftruncate', 'openat'];
const mostCalls = { pread64: 60, pwrite64: 60, fsync: 6, fdatasync: 12, ftruncate: 3, openat: 6 };

/** System calls of one program on the files of a store that fail, by strace; undefined where there is none. */
export function fileFaults(storeFile) {
  if (spawnSync('strace', ['-qq', '-o', '/dev/null', 'true']).status !== 0) return undefined;
  const paths = ['', '-wal', '-shm'].flatMap((end) => ['-P', `${storeFile}${end}`]);
  return {
    count: 0,
    /** Words before a command, with which one of its system calls fails. */
    next(random) {
      this.count += 1;
      const call = fileCalls[Math.floor(random() * fileCalls.length)];
      const error = call === 'pwrite64' && random() < 0.5 ? 'ENOSPC' : 'EIO';
      const inject = `inject=${call}:error=${error}:when=${1 + Math.floor(random() * mostCalls[call])}`;
      return ['strace', '-f', '-qq', ...paths, '-e', `trace=${call}`, '-e', inject, '-o', '/dev/null'];
    },
  };
}

/** A database server that cuts every connection, or dies and comes back, while all work on it. */
export function databaseFaults(server) {
  return {
    count: 0,
    async strike() {
      this.count += 1;
      await cutConnections(server.url());
    },
    /** Programs that are started meanwhile say that nothing answers, so that there must be none. */
    async restart(random) {
      this.count += 1;
      await server.stop('immediate');
      await wait(Math.floor(random() * 1_000));
      return server.start();
    },
  };
}

async function cutConnections(connectionString) {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname is not null',
  );
  await client.end();
}
