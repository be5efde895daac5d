import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { openStore } from '../dist/index.js';
import { findPostgres } from '../scripts/find-postgres.mjs';
import { startPostgres } from '../scripts/start-postgres.mjs';
import { ask } from './ask-postgres.mjs';
import { median, program, runNode, withFolder } from './measure.mjs';

const scenario = `name: Echo
call: { module: ./tool.mjs, export: work }
dataset: ./rows.jsonl
passCriteria: [result.value === input.value]
`;

/** Trials through the queue of a Postgres on this machine, from the start of the coordinator to its report. */
export async function distributed() {
  const bin = findPostgres();
  if (bin === undefined) return [{ what: 'trials through the queue', measured: 'left out: no Postgres was found' }];
  const server = await startPostgres(bin, ['shared_preload_libraries=pg_stat_statements', 'max_connections=200']);
  try {
    const rounds = [];
    for (let round = 0; round < 3; round++) {
      rounds.push(await measure(server, { trials: 10_000, workers: 2, concurrency: 4, takesMs: 0 }));
    }
    const short = await measure(server, { trials: 12_800, workers: 8, concurrency: 8, takesMs: 50 });
    const alone = await measureAlone(server, { trials: 40, takesMs: 500 });
    return rowsOf(rounds, short, alone);
  } finally {
    await server[Symbol.asyncDispose]();
  }
}

function rowsOf(rounds, short, alone) {
  const perSecond = median(rounds.map(({ trials, seconds }) => trials / seconds));
  return [
    {
      what: '10,000 trials through the queue, 2 workers',
      measured: `${Math.round(perSecond).toLocaleString('en-US')} trials/s`,
      target: 'at least 400',
      isMet: perSecond >= 400,
    },
    roundTrips('  round trips for a trial', median(rounds.map(({ perTrial }) => perTrial))),
    {
      what: '12,800 trials of 50 ms, 8 workers x 8',
      measured: `${(short.share * 100).toFixed(0)} % of the ideal`,
      target: 'at least 80 %',
      isMet: short.share >= 0.8,
      goal: 'queue, trials of 50 ms, 8 workers x 8',
    },
    roundTrips('  round trips for a trial', short.perTrial),
    {
      ...roundTrips('one trial at a time, with heartbeats: round trips', alone.perTrial),
      goal: 'queue, one long trial at a time, round trips',
    },
  ];
}

function roundTrips(what, perTrial) {
  return { what, measured: perTrial.toFixed(2), target: 'at most 6', isMet: perTrial <= 6 };
}

/** What is asked and answered, from the start of the coordinator to its report. */
async function measure(server, { trials, workers, concurrency, takesMs }) {
  const url = await emptyStore(server);
  const idealMs = (trials * takesMs) / (workers * concurrency);
  return withWorkers(url, { workers, concurrency }, async () => {
    await ask(url, 'select pg_stat_statements_reset()');
    const { seconds } = await run(url, { trials, takesMs });
    const stored = await storedTrials(url);
    if (stored.count !== trials) throw new Error(`${stored.count} of ${trials} trials are stored`);
    return { trials, seconds, perTrial: (await statements(url)) / trials, share: idealMs / stored.tookMs };
  });
}

/** What a worker asks that never has two results to store at once, with its heartbeats and without a coordinator. */
async function measureAlone(server, { trials, takesMs }) {
  const url = await emptyStore(server);
  return withWorkers(url, { workers: 1, concurrency: 1 }, async () => {
    await run(url, { trials, takesMs }, ['--detach']);
    await ask(url, 'select pg_stat_statements_reset()');
    const before = await storedTrials(url);
    let after = before;
    while (after.count < trials - 2) {
      await wait(2 * takesMs);
      after = await storedTrials(url);
    }
    const looks = await statementsLike(url, lookText);
    return { perTrial: ((await statements(url)) - looks) / (after.count - before.count) };
  });
}

function run(url, { trials, takesMs }, args = []) {
  const files = {
    's.yaml': scenario,
    'tool.mjs': `import { setTimeout as wait } from 'node:timers/promises';
export const work = ${takesMs === 0 ? '({ value }) => ({ value })' : `({ value }) => wait(${takesMs}, { value })`};\n`,
    'rows.jsonl': Array.from({ length: trials }, (_, value) => JSON.stringify({ value })).join('\n'),
  };
  const command = [program, 'run', 's.yaml', '--distributed', '--quiet', ...args];
  return withFolder(files, (cwd) => runNode(command, { cwd, env: { ASSAY_STORE: url } }));
}

async function withWorkers(url, { workers, concurrency }, work) {
  return withFolder({}, async (folder) => {
    const fleet = Array.from({ length: workers }, (_, number) =>
      startWorker(join(folder, `machine-${number}`), url, concurrency),
    );
    try {
      await Promise.all(fleet.map(({ ready }) => ready));
      return await work();
    } finally {
      await Promise.all(fleet.map(({ end }) => end()));
    }
  });
}

const lookText = `select count(*)::int as count, (max(started_at + duration_ms) - min(started_at))::float8 as took_ms from trials`;

async function storedTrials(url) {
  const [{ count, took_ms: tookMs }] = await ask(url, lookText);
  return { count, tookMs };
}

function statements(url) {
  return statementsLike(url, '%');
}

/** Statements that somebody sent; those that check a foreign key are the server's own. */
async function statementsLike(url, text) {
  const [{ calls }] = await ask(
    url,
    `select coalesce(sum(calls), 0)::float8 as calls from pg_stat_statements
    where query like $1 and query not like '%FOR KEY SHARE OF x%'
      and dbid = (select oid from pg_database where datname = current_database())`,
    [text],
  );
  return calls;
}

async function emptyStore(server) {
  const name = `bench_${Math.random().toString(36).slice(2)}`;
  await ask(server.url(), `create database ${name}`);
  const url = server.url(name);
  await (await openStore(url, '.'))[Symbol.asyncDispose]();
  await ask(url, 'create extension pg_stat_statements');
  return url;
}

function startWorker(folder, url, concurrency) {
  mkdirSync(folder);
  const args = ['worker', '--concurrency', String(concurrency), '--agents', '', '--folder', join(folder, 'bundles')];
  const child = spawn(process.execPath, [program, ...args], {
    cwd: folder,
    env: { ...process.env, ASSAY_STORE: url },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(child, 'exit');
  const ready = new Promise((resolve) => child.stderr.on('data', resolve));
  return {
    ready,
    async end() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
