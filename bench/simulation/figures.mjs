import { ask } from '../ask-postgres.mjs';
import { cpuSecondsOf, memoryOfBackends } from './server-load.mjs';

const sizes = `
  select sum(case when relname in ('trials', 'trial_counts') then pg_total_relation_size(oid) end)::float8 as trials,
    sum(case when relname = 'packs' then pg_total_relation_size(oid) end)::float8 as packs,
    sum(case when relnamespace = 'assay_queue'::regnamespace then pg_total_relation_size(oid) end)::float8 as queue
  from pg_class where relkind = 'r'`;

const rows = `
  select sum(n_tup_ins)::float8 as inserted, sum(n_tup_upd)::float8 as updated, sum(n_tup_del)::float8 as deleted
  from pg_stat_user_tables`;

const statements = `
  select calls::float8 as calls, total_exec_time as ms, regexp_replace(query, '\\s+', ' ', 'g') as query
  from pg_stat_statements where query not like '%FOR KEY SHARE OF x%' and dbid = (select oid from pg_database where datname = current_database())
  order by total_exec_time desc`;

/** All that a server and a fleet can tell at a moment. */
export async function readFigures(server, url, fleet) {
  const [size] = await ask(url, sizes);
  const [row] = await ask(url, rows);
  const [{ wal }] = await ask(url, "select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as wal");
  const { stored, refused, lost, failed } = fleet;
  const { user, system } = process.cpuUsage();
  return {
    at: performance.now(),
    cpuSeconds: cpuSecondsOf(server),
    ownCpuSeconds: (user + system) / 1e6,
    backendMb: memoryOfBackends(server),
    ...{ wal, stored, refused, lost, failed, ...size, ...row },
    statements: await ask(url, statements),
  };
}

/** What happened between two moments, for people. */
export function rowsOf(before, after, { workers, shortestMs, longestMs, trials }) {
  const seconds = (after.at - before.at) / 1_000;
  const grown = (name) => after[name] - before[name];
  const stored = grown('stored');
  const calls = after.statements.reduce((sum, statement) => sum + statement.calls, 0);
  const ideal = trials === 0 ? 0 : (workers * 4) / ((shortestMs + longestMs) / 2_000);
  const cores = grown('cpuSeconds') / seconds;
  const figures = [
    ['trials/s', `${(stored / seconds).toFixed(1)} of ${ideal.toFixed(1)} that the workers could`],
    [
      'processors of Postgres',
      `${cores.toFixed(2)} (of the simulation: ${(grown('ownCpuSeconds') / seconds).toFixed(2)})`,
    ],
    ['statements/s', (calls / seconds).toFixed(1)],
    ['WAL', `${(grown('wal') / seconds / 1_000).toFixed(1)} kB/s`],
    ['leases lost, refused, workers ended', ['lost', 'refused', 'failed'].map(grown).join(', ')],
    ['memory of a connection', `${after.backendMb.toFixed(1)} MB`],
  ];
  if (stored === 0) return figures;
  const kB = (bytes) => `${(bytes / 1_000).toFixed(1)} kB`;
  return [
    ...figures,
    ['for a trial: statements', (calls / stored).toFixed(1)],
    ['for a trial: processor time', `${((grown('cpuSeconds') / stored) * 1_000).toFixed(2)} ms`],
    [
      'for a trial: rows',
      `${['inserted', 'updated', 'deleted'].map((name) => `${(grown(name) / stored).toFixed(1)} ${name}`).join(', ')}`,
    ],
    ['for a trial: WAL', kB(grown('wal') / stored)],
    [
      'for a trial: kept in the store',
      `${kB(after.trials / after.stored)} rows and indices, ${kB(after.packs / after.stored)} traces`,
    ],
    ['for a trial: in the queue', kB(after.queue / trials)],
  ];
}

/** What took the server longest. */
export function statementsOf({ statements }) {
  const total = statements.reduce((sum, { ms }) => sum + ms, 0);
  return statements
    .slice(0, 5)
    .map(
      ({ calls, ms, query }) => `${((ms / total) * 100).toFixed(0).padStart(3)} %  ${calls} x  ${query.slice(0, 90)}`,
    );
}
