import { describe, expect, it } from 'vitest';
import type { Store } from '../../../keep/store/store.ts';
import { type ServedProject, serveFiles } from '../../../testing/fakes/server/served-project.ts';
import { finishedTrial, runHeader } from '../../../testing/samples.ts';
import { fillStore } from '../../../testing/support/drawn-run.ts';
import { hasPostgres, usePostgres } from '../../../testing/support/postgres.ts';
import type { Grid } from '../api/grid.ts';
import type { Dashboard, TrialList } from '../api/runs.ts';
import { routes } from '../routes/index.ts';
import { RunCache } from '../run-cache.ts';

const large = 2_400;
/** Of a run of any size; a page has at most a hundred rows, and some are read beside it. */
const mostRows = 1_000;

/** Requests of the pages about a run, each with another way to find, sort or group. */
function pageRequests(): readonly string[] {
  const run = '/api/runs/r-large';
  const [trial, earlier] = ['r-large', 'r-earlier'].map((runId) => finishedTrial(runId, 7).record.trialId);
  const sorts = ['plan', 'problems', 'passed', 'duration', 'cost', 'e:called', 'm:calls'];
  return [
    '/api/dashboard',
    '/api/runs?limit=50',
    `${run}/head`,
    run,
    `${run}/breakdown`,
    `${run}/problems`,
    '/api/review?limit=20',
    '/api/review/agreement',
    '/api/scenarios',
    '/api/scenario-stats?scenario=scenario%203',
    '/api/traces',
    '/api/traces?run=r-large',
    '/api/rules',
    `/api/trials/${trial}`,
    `/api/trials/${trial}/trace`,
    `/api/diff?a=${earlier}&b=${trial}`,
    '/api/status',
    '/api/compare/suggestion?b=r-large',
    ...sorts.map((sort) => `${run}/cases?limit=20&sort=${sort}&direction=${sort === 'plan' ? 'asc' : 'desc'}`),
    ...[
      'outcome=fail',
      'outcome=error',
      'scenario=scenario%203',
      'text=refund',
      'text=nowhere',
      'where=topic%3Dx',
      'differs=true',
    ].map((filter) => `${run}/cases?limit=20&sort=problems&${filter}`),
    ...[
      'order=plan',
      'order=duration',
      'order=cost&direction=desc',
      'text=nowhere',
      'outcome=pass',
      'outcome=error',
      'scenario=scenario%203',
    ].map((filter) => `${run}/trials?limit=100&${filter}`),
    '/api/compare?a=r-earlier&b=r-large',
    '/api/variants?run=r-large&by=model',
    '/api/compare?a=r-large&by=model&valueA=one&valueB=two',
    '/api/compare/runs?runs=r-earlier,r-large',
  ];
}

/** Comparisons that are requested for the first time: made of what is kept of the run, and not an earlier result. */
const newComparisons = [
  '/api/variants?run=r-large&by=model&force=true',
  '/api/variants?run=r-large&by=model&reference=two',
  '/api/compare?a=r-large&by=model&valueA=one&valueB=two&force=true',
  '/api/compare?a=r-large&by=model&valueA=two&valueB=one',
  '/api/compare?a=r-earlier&b=r-large&force=true',
];

/** Routes that are not about runs, stream, or hand over a whole report; beginnings of their paths. */
const notPages = [
  ...[
    'session',
    'shared-tokens',
    'projects',
    'settings',
    'scenarios/',
    'scenario-formats',
    'rubrics',
    'evaluator-types',
  ],
  ...['connector-types', 'files/', 'mcp', 'webhooks', 'workers', 'work', 'personas', 'connectors', 'evals', 'openapi'],
  ...['compare/judge', 'compare/report', 'compare/runs/report', 'variants/report'],
].map((name) => `/api/${name}`);
const partsOfPages = /\/(?:events|report\/\{format\}|rerun|search|\{index\}|artifacts\/\{path\*\})$/;

it('asks every route that pages read runs with', () => {
  const paths = pageRequests().map((path) => path.replace(/\?.*/, ''));
  const left = routes
    .filter(({ method, path }) => method === 'get' && !notPages.some((name) => path.startsWith(name)))
    .filter(({ path }) => !partsOfPages.test(path))
    .filter(({ path }) => {
      const wanted = new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
      return !paths.some((one) => wanted.test(one));
    });
  expect(left.map(({ path }) => path)).toEqual([]);
});

/** A config with a rule, whose runs are looked at. */
const ruledConfig = { rules: { answers: { evaluators: [{ type: 'contains', config: { text: 'order' } }] } } };

/** The first answers make what is kept; the second come from that. */
async function prepared(served: ServedProject, size = large): Promise<void> {
  const { store } = served.context;
  for (const runId of ['r-earlier', 'r-large']) await fillStore(store, runId, size, runId.length);
  await store.createRun(
    runHeader('r-collected', {
      planned: 0,
      status: 'finished',
      finishedAt: 1_800_000_000_000,
      request: { ...runHeader('r').request, origin: { kind: 'import', file: 'f', format: 'otlp', isCollected: true } },
    }),
  );
  for (const path of pageRequests()) expect((await served.request(path)).status, path).toBe(200);
}

/** Calls of the store for one request, and the trials or cases that they gave. */
interface Reads {
  calls: number;
  rows: number;
}

/** Counts what is taken from a store from here on. */
function countingReads(store: Store): Reads {
  const reads: Reads = { calls: 0, rows: 0 };
  const ofTrials = ['readTrials', 'readTrialRows', 'countByCase', 'findTrial'];
  const methods = store as unknown as Record<string, (...given: unknown[]) => unknown>;
  for (const [name, method] of Object.entries(methods))
    methods[name] = (...given) => {
      const answered = method(...given);
      reads.calls++;
      if (ofTrials.includes(name)) void (answered as Promise<unknown>).then((answer) => (reads.rows += sizeOf(answer)));
      return answered;
    };
  return reads;
}

function sizeOf(answer: unknown): number {
  const list = (answer as { readonly items?: unknown } | undefined)?.items ?? answer;
  return Array.isArray(list) ? list.length : 1;
}

/** The reads of every page about two runs of a size, after a start: nothing is at hand but what is kept. */
async function readsOfPages(size: number): Promise<ReadonlyMap<string, Reads>> {
  await using served = await serveFiles({ 'assay.config.json': JSON.stringify(ruledConfig) }, 'sqlite::memory:');
  await prepared(served, size);
  const { store } = served.context;
  const reads = countingReads(store);
  const found = new Map<string, Reads>();
  for (const path of [...pageRequests(), ...newComparisons]) {
    Object.assign(reads, { calls: 0, rows: 0 });
    Object.assign(served.context, { runCache: new RunCache(store) });
    const answer = await served.get<Partial<Grid & TrialList>>(path);
    if (/cases|trials\?/.test(path) && !path.includes('nowhere')) expect(answer.items?.length, path).toBeGreaterThan(0);
    found.set(path, { ...reads });
  }
  return found;
}

/** Pages of other cases differ by some rows; what grows with the run would be twice as much. */
const notMore = ({ calls, rows }: Reads): Reads => ({ calls: calls * 1.2 + 4, rows: rows * 1.2 + 40 });

describe('pages of a large run', () => {
  it('compare it with the one before in the background: the first page does not wait', async () => {
    await using served = await serveFiles({}, 'sqlite::memory:');
    for (const runId of ['r-earlier', 'r-large']) await fillStore(served.context.store, runId, large / 2, runId.length);
    const broke = async () => (await served.get<Dashboard>('/api/dashboard')).broke;
    expect(await broke()).toBeNull();
    await expect.poll(async () => (await broke())?.cases.length, { timeout: 20_000 }).toBeGreaterThan(0);
  });

  it('take some of its trials from the store, and no more of a run twice as large', async () => {
    const before = await readsOfPages(large / 2);
    for (const [path, { calls, rows }] of await readsOfPages(large)) {
      const most = notMore(before.get(path) ?? { calls: 0, rows: 0 });
      expect(rows, path).toBeLessThan(Math.min(mostRows, most.rows));
      expect(calls, path).toBeLessThan(most.calls);
    }
  });
});

describe.runIf(hasPostgres)('pages of a large run on Postgres', () => {
  // As on a disk without moving parts: rows of an index cost no more than all rows of a small table.
  const postgres = usePostgres(['fsync=off', 'random_page_cost=1']);

  it('have the database read some of its rows, never all of them', async () => {
    const url = await postgres.newDatabase();
    {
      await using served = await serveFiles({}, url);
      await prepared(served);
    }
    await postgres.query(url, 'vacuum analyze');
    const read = async () => {
      const [row] = await postgres.query(
        url,
        `select sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::float8 as rows
         from pg_stat_user_tables where relname = 'trials'`,
      );
      return Number(row?.rows);
    };
    const ways = /breakdown|problems$|stats|traces\?|duration|text=nowhere|outcome=error|by=model$|b=r-large$/;
    for (const path of pageRequests().filter((request) => ways.test(request))) {
      const before = await read();
      {
        // All of its connections end with it, and what they read is counted then.
        await using served = await serveFiles({}, url);
        await served.request(path);
      }
      expect((await read()) - before, path).toBeLessThan(mostRows);
    }
  });
});
