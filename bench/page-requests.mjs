import { openStore } from '../dist/index.js';
import { finishedTrial, runHeader } from '../dist/testing.js';
import { findChromium } from '../scripts/find-chromium.mjs';
import { findPostgres } from '../scripts/find-postgres.mjs';
import { startPostgres } from '../scripts/start-postgres.mjs';
import { serveForBench, withFolder } from './measure.mjs';
import { timesOfSteps } from './task-pages.mjs';

const trials = 100_000;
const mostMs = 500;
const repeats = 5;
const finishedAt = 1_700_000_900_000;

/** What the pages ask for about runs of 100,000 trials, on both stores: after a start of the server, and again. */
export async function pageRequests() {
  const rows = await withFolder({ 'orders.yaml': scenarioFile }, (cwd) => measured(cwd, 'sqlite:.assay/assay.db'));
  const bin = findPostgres();
  if (bin === undefined) return [...titled('SQLite', rows), { what: 'Postgres', measured: 'left out: none was found' }];
  const server = await startPostgres(bin, ['shared_buffers=256MB']);
  try {
    const others = await withFolder({ 'orders.yaml': scenarioFile }, (cwd) => measured(cwd, server.url()));
    return [...titled('SQLite', rows), ...titled('Postgres', others)];
  } finally {
    await server[Symbol.asyncDispose]();
  }
}

const scenarioFile = `name: scenario 190
call: { command: cat }
cases:
  - { name: case-95000, input: { total: 42 } }
passCriteria: [result.total === 41]
`;

/** What is asked for; `rest` reads or makes more than one answer. */
const requests = {
  dashboard: '/api/dashboard',
  'list of runs': '/api/runs?limit=50',
  'head of a run': '/api/runs/r-new/head',
  'figures of a run': '/api/runs/r-new',
  'tables of a run': '/api/runs/r-new/breakdown',
  'causes of its failures': '/api/runs/r-new/problems',
  'review of what was judged': '/api/review?limit=20',
  'agreement with people': '/api/review/agreement',
  'cases as planned': '/api/runs/r-new/cases?limit=20&sort=plan&direction=asc',
  'cases, failures first': '/api/runs/r-new/cases?limit=20&sort=problems&direction=asc',
  'cases, failures last': '/api/runs/r-new/cases?limit=20&sort=problems&direction=desc',
  'cases, failures only': '/api/runs/r-new/cases?limit=20&outcome=fail',
  'cases, slowest first': '/api/runs/r-new/cases?limit=20&sort=duration&direction=desc',
  'cases of a scenario': '/api/runs/r-new/cases?limit=20&scenario=scenario%20190',
  'cases with a text': '/api/runs/r-new/cases?limit=20&text=order%2077',
  'cases with a text that none has': '/api/runs/r-new/cases?limit=20&text=nowhere',
  'cases whose variants differ': '/api/runs/r-new/cases?limit=20&differs=true',
  'trials as planned': '/api/runs/r-new/trials?limit=100',
  'trials, slowest first': '/api/runs/r-new/trials?limit=100&order=duration&direction=desc',
  'trials with a text that none has': '/api/runs/r-new/trials?limit=100&text=nowhere',
  'trials of a scenario': '/api/runs/r-new/trials?limit=100&scenario=scenario%20190',
  'errors only': '/api/runs/r-new/trials?limit=100&outcome=error',
  'comparison of two runs': '/api/compare?a=r-old&b=r-new',
  'comparison of two variants': '/api/compare?a=r-new&by=model&valueA=m-0&valueB=m-1',
  'variants of a run': '/api/variants?run=r-new&by=model',
  'runs side by side': '/api/compare/runs?runs=r-old,r-new',
  'statistics of a scenario': '/api/scenario-stats?scenario=scenario%20190',
  'scenarios with their last outcomes': '/api/scenarios',
  'a trial': '/api/trials/first',
  'its trace': '/api/trials/first/trace',
};

async function measured(cwd, storeUrl) {
  const store = await openStore(storeUrl, cwd);
  for (const runId of ['r-old', 'r-new']) await fill(store, runId);
  const { items } = await store.readTrialRows('r-new', { limit: 1, outcomes: ['fail'] });
  const trialId = items[0].trialId;
  await store[Symbol.asyncDispose]();
  const paths = Object.entries(requests).map(([what, path]) => [what, path.replace('first', trialId)]);
  const first = await withServer(cwd, storeUrl, (ask) => timesOf(paths, ask));
  const inBrowser = await stepsInBrowser(cwd, storeUrl);
  const answers = await withServer(cwd, storeUrl, async (ask) => {
    const started = await timesOf(paths, ask);
    const again = [];
    for (let round = 0; round < repeats; round++) again.push(await timesOf(paths, ask));
    return paths.map(([what], index) => ({
      what,
      first: first[index],
      started: started[index],
      again: Math.max(...again.map((times) => times[index])),
    }));
  });
  return { answers, inBrowser };
}

/** What users wait for in Chromium at each step of their tasks. */
async function stepsInBrowser(cwd, storeUrl) {
  const executablePath = findChromium();
  if (!executablePath) return {};
  const { chromium } = await import('playwright-core');
  const server = await serveForBench(cwd, ['--store', storeUrl]);
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  try {
    const page = await browser.newPage({ viewport: { width: 1360, height: 900 } });
    await page.goto(server.url);
    return await timesOfSteps(page, (path) => new URL(path, server.url).href);
  } finally {
    await browser.close();
    await server.end();
  }
}

async function withServer(cwd, storeUrl, work) {
  const server = await serveForBench(cwd, ['--store', storeUrl]);
  try {
    return await work(async (path) => {
      const response = await fetch(new URL(path, server.url), { headers: { authorization: `Bearer ${server.token}` } });
      const text = await response.text();
      if (!response.ok) throw new Error(`${path}: ${text}`);
    });
  } finally {
    await server.end();
  }
}

async function timesOf(paths, ask) {
  const times = [];
  for (const [, path] of paths) {
    const began = performance.now();
    await ask(path);
    times.push(performance.now() - began);
  }
  return times;
}

function titled(name, { answers, inBrowser }) {
  return [
    { what: `${name}: requests about 100,000 trials`, measured: 'first ever, after a start, slowest of 5' },
    ...answers.map(({ what, first, started, again }) => ({
      what: `  ${what}`,
      measured: `${[first, started, again].map((ms) => ms.toFixed(0)).join(', ')} ms`,
      target: `at most ${mostMs} ms`,
      isMet: Math.max(started, again) <= mostMs,
    })),
    { what: `${name}: steps in Chromium`, measured: 'first visit, usual' },
    ...Object.entries(inBrowser).map(([what, { first, usual }]) => ({
      what: `  ${what}`,
      measured: `${first.toFixed(0)}, ${usual.toFixed(0)} ms`,
      target: `at most ${mostMs} ms`,
      isMet: usual <= mostMs,
    })),
  ];
}

export async function fill(store, runId) {
  const startedAt = finishedAt - (runId === 'r-old' ? 1_800_000 : 900_000);
  const sample = runHeader(runId).scenarios[0];
  const scenarios = Array.from({ length: trials / 500 }, (_, index) => ({
    ...sample,
    name: `scenario ${index}`,
    caseCount: 125,
    repeat: 2,
  }));
  await store.createRun(runHeader(runId, { startedAt, planned: trials, status: 'finished', finishedAt, scenarios }));
  for (let first = 0; first < trials; first += 1_000)
    await store.saveTrials(Array.from({ length: 1_000 }, (_, index) => trialOf(runId, first + index)));
}

/** Of two variants with two repeats each. */
function trialOf(runId, ordinal) {
  const outcome = ordinal % 97 === 0 ? 'fail' : ordinal % 1_009 === 0 ? 'error' : 'pass';
  const { record, trace } = finishedTrial(runId, ordinal, {
    outcome,
    scenario: `scenario ${Math.floor(ordinal / 500)}`,
  });
  const judged = {
    type: 'judge',
    kind: 'assertion',
    state: outcome === 'fail' ? 'fail' : 'pass',
    reason: 'by the model',
  };
  return {
    trace,
    record: {
      ...record,
      caseId: `case-${Math.floor(ordinal / 4)}`,
      repeat: (ordinal % 2) + 1,
      variant: { model: `m-${Math.floor(ordinal / 2) % 2}` },
      reason: outcome === 'fail' ? `expected ${ordinal} and got ${ordinal % 7}` : 'because',
      durationMs: 1_000 + (ordinal % 977) * 13,
      costUsd: ((ordinal * 31) % 977) / 1_000,
      evaluatorResults: [{ ...judged, success: outcome !== 'fail' }],
      excerpt: { input: `order ${ordinal}`, answer: `It is on its way, order ${ordinal}.`, expected: 'on its way' },
    },
  };
}
