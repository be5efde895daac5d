import { statSync } from 'node:fs';
import { join } from 'node:path';
import { openStore } from '../dist/index.js';
import { finishedTrial, runHeader } from '../dist/testing.js';
import { findPostgres } from '../scripts/find-postgres.mjs';
import { startPostgres } from '../scripts/start-postgres.mjs';
import { median, withFolder } from './measure.mjs';

const trials = 100_000;
const runId = 'r-bench';
const rounds = 31;

/** The pages that people look at, on both stores: the first of a list, and one from the middle of it. */
const pages = {
  'list of runs': (store) => store.readRunRows({ limit: 50 }),
  'totals of the run': (store) => store.countTrials(runId),
  'counts by scenario and variant': (store) => store.countByCell(runId),
  'trials, as planned': (store) => store.readTrialRows(runId, { limit: 100 }),
  'trials, from the middle': (store, cursors) => store.readTrialRows(runId, { limit: 100, cursor: cursors.plan }),
  'trials, slowest first': (store) => store.readTrialRows(runId, { limit: 100, order: 'duration', isDescending: true }),
  'trials by cost, from the middle': (store, cursors) =>
    store.readTrialRows(runId, { limit: 100, order: 'cost', cursor: cursors.cost }),
  'failed trials': (store) => store.readTrialRows(runId, { limit: 100, outcomes: ['fail'] }),
  'trials of a scenario': (store) => store.readTrialRows(runId, { limit: 100, scenario: 'scenario 190' }),
  'trials with a text': (store) => store.readTrialRows(runId, { limit: 100, text: 'scenario 19' }),
  'records of 100 trials': (store) => store.readTrials(runId, { limit: 100, after: 50_000 }),
};

/** How quickly pages of a run of 100,000 trials are read from SQLite and from Postgres. */
export async function storePages() {
  const bin = findPostgres();
  if (bin === undefined) return [{ what: 'pages of 100,000 trials', measured: 'left out: no Postgres was found' }];
  const server = await startPostgres(bin, ['shared_buffers=256MB']);
  try {
    return await withFolder({}, (cwd) => compare(cwd, server.url()));
  } finally {
    await server[Symbol.asyncDispose]();
  }
}

async function compare(cwd, url) {
  const sqlite = await openStore('sqlite:assay.db', cwd);
  const postgres = await openStore(url, cwd);
  try {
    const written = [await fill(sqlite), await fill(postgres)];
    await settle(url);
    const places = [await middles(sqlite), await middles(postgres)];
    const rows = [];
    for (const [what, read] of Object.entries(pages)) rows.push(await inTurns(what, read, [sqlite, postgres], places));
    return [
      { what: 'pages of 100,000 trials', measured: 'SQLite, Postgres' },
      ...rows.map(({ row }) => row),
      farthestApart(rows),
      { what: '  trials stored', measured: written.map((perSecond) => `${perSecond}/s`).join(', ') },
      { what: '  bytes for a trial', measured: await bytesPerTrial(cwd, url) },
    ];
  } finally {
    await sqlite[Symbol.asyncDispose]();
    await postgres[Symbol.asyncDispose]();
  }
}

async function inTurns(what, read, stores, places) {
  const times = stores.map(() => []);
  for (let round = 0; round < rounds; round++) {
    for (const [index, store] of stores.entries()) {
      const began = performance.now();
      await read(store, places[index]);
      times[index].push(performance.now() - began);
    }
  }
  const [sqlite, postgres] = times.map(median);
  const ratio = postgres / sqlite;
  const measured = `${sqlite.toFixed(1)} ms, ${postgres.toFixed(1)} ms, ${ratio.toFixed(1)} x`;
  return { ratio, what, row: { what: `  ${what}`, measured } };
}

function farthestApart(rows) {
  const { ratio, what } = rows.reduce((worst, row) => (row.ratio > worst.ratio ? row : worst));
  return {
    what: `  Postgres beside SQLite, ${rows.length} pages`,
    measured: `at most ${ratio.toFixed(1)} x (${what})`,
    target: 'at most 2 x',
    isMet: ratio <= 2,
    goal: 'pages of 100,000 trials, Postgres beside SQLite',
  };
}

async function fill(store) {
  for (let index = 0; index < 60; index++) await store.createRun(runHeader(`r-${index}`, { startedAt: index }));
  await store.createRun(runHeader(runId, { planned: trials }));
  let tookMs = 0;
  for (let first = 0; first < trials; first += 200) {
    const batch = Array.from({ length: 200 }, (_, index) => trialOf(first + index));
    const began = performance.now();
    await store.saveTrials(batch);
    tookMs += performance.now() - began;
  }
  return Math.round((trials / tookMs) * 1_000).toLocaleString('en-US');
}

function trialOf(ordinal) {
  const outcome = ordinal % 97 === 0 ? 'fail' : ordinal % 1_009 === 0 ? 'error' : 'pass';
  const { record, trace } = finishedTrial(runId, ordinal, {
    outcome,
    scenario: `scenario ${Math.floor(ordinal / 500)}`,
  });
  const figures = { durationMs: ((ordinal * 7_919) % 10_007) + 0.5, costUsd: ((ordinal * 31) % 977) / 1_000 };
  return { trace, record: { ...record, ...figures, variant: { agent: 'codex', model: `m-${ordinal % 4}` } } };
}

async function middles(store) {
  const middle = async (order) => {
    let cursor;
    for (let page = 0; page < 10; page++) {
      cursor = (await store.readTrialRows(runId, { limit: 5_000, order, cursor })).next;
    }
    return cursor;
  };
  return { plan: await middle('plan'), cost: await middle('cost') };
}

/** As the server does by itself within a minute. */
function settle(url) {
  return ask(url, 'vacuum analyze');
}

async function bytesPerTrial(cwd, url) {
  const [{ bytes }] = await ask(url, 'select pg_database_size(current_database())::float8 as bytes');
  const sizes = [statSync(join(cwd, 'assay.db')).size + statSync(join(cwd, 'assay.db-wal')).size, bytes];
  return sizes.map((size) => Math.round(size / trials).toLocaleString('en-US')).join(', ');
}

async function ask(url, text) {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}
