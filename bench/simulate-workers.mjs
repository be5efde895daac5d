import { cpus, totalmem } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { findPostgres } from '../scripts/find-postgres.mjs';
import { startPostgres } from '../scripts/start-postgres.mjs';
import { ask } from './ask-postgres.mjs';
import { FakeFleet } from './simulation/fake-fleet.mjs';
import { readFigures, rowsOf, statementsOf } from './simulation/figures.mjs';
import { loadParts } from './simulation/load-parts.mjs';

const minutes = { shortestMs: 60_000, longestMs: 300_000, traceBytes: 50_000 };
const second = { shortestMs: 1_000, longestMs: 1_000, traceBytes: 1_000 };
const loads = {
  'idle-1000': { workers: 1_000, trials: 0, ...second },
  'minutes-10': { workers: 10, trials: 1_000, ...minutes },
  'minutes-100': { workers: 100, trials: 4_000, ...minutes },
  'minutes-1000': { workers: 1_000, trials: 20_000, ...minutes },
  'minutes-3000': { workers: 3_000, trials: 40_000, ...minutes },
  'second-10': { workers: 10, trials: 6_000, ...second },
  'second-100': { workers: 100, trials: 50_000, ...second },
  'second-1000': { workers: 1_000, trials: 120_000, ...second },
};
const seconds = Number(process.env.ASSAY_SIMULATION_SECONDS ?? 40);
/** Each has counters of its own, as each worker has; their connections are shared by many workers. */
const pools = 8;

/** Workers without processes against a real Postgres: what a fleet of many machines asks of it. */
async function simulate(server, parts, load) {
  const name = `simulation_${Math.random().toString(36).slice(2)}`;
  await ask(server.url(), `create database ${name}`);
  const url = server.url(name);
  await ask(url, 'create extension pg_stat_statements');
  const databases = [];
  for (let index = 0; index < pools; index++) databases.push(await parts.openWorkDatabase(url));
  const fleet = new FakeFleet(parts, databases, load);
  try {
    if (load.trials > 0) await fleet.enqueue('r-simulation', load.trials);
    await fleet.start();
    await ask(url, 'select pg_stat_statements_reset()');
    const before = await readFigures(server, url, fleet);
    await wait(seconds * 1_000);
    const after = await readFigures(server, url, fleet);
    return { before, after };
  } finally {
    await fleet.stop();
    for (const database of databases) await database[Symbol.asyncDispose]();
    await ask(server.url(), `drop database ${name} with (force)`);
  }
}

const bin = findPostgres();
if (bin === undefined) {
  console.error('There is no Postgres server here: install one (Debian: postgresql), or set ASSAY_POSTGRES_BIN.');
  process.exit(1);
}
const wanted = process.argv.slice(2);
const parts = await loadParts();
const settings = ['shared_preload_libraries=pg_stat_statements', 'max_connections=200', 'shared_buffers=256MB'];
const server = await startPostgres(bin, settings);
console.log(
  `Node ${process.versions.node}, ${cpus().length} cores, ${Math.round(totalmem() / 1e9)} GB, ${seconds} s each`,
);
try {
  for (const [name, load] of Object.entries(loads)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    const { before, after } = await simulate(server, parts, load);
    console.log(`\n${name}: ${load.workers} workers x 4 trials`);
    for (const [what, figure] of rowsOf(before, after, load)) console.log(`  ${what.padEnd(34)} ${figure}`);
    for (const line of statementsOf(after)) console.log(`    ${line}`);
  }
} finally {
  await server[Symbol.asyncDispose]();
}
