import { gzipSync } from 'node:zlib';
import { openStore } from '../dist/index.js';
import { finishedTrial, runHeader } from '../dist/testing.js';
import { findChromium } from '../scripts/find-chromium.mjs';
import { median, serveForBench, withFolder } from './measure.mjs';
import { fillForWalk, usabilityWalk, walkFiles } from './usability-walk.mjs';

const trials = 100_000;
const runs = 200;
const runId = 'r-bench';
const otherRunId = 'r-earlier';
const rounds = 5;
const clients = 8;
const requestsPerClient = 40;
const warmUpRequests = 5;

/** The web UI over stores of 100,000 trials: how soon pages show their rows, how quick the API is, what is loaded. */
export async function web() {
  return [...(await pagesAndApi()), ...(await walkOfUser())];
}

/** The steps from the newest failure to a shared result, each as long as its user waits. */
function walkOfUser() {
  const executablePath = findChromium();
  if (!executablePath) return [];
  return withFolder(walkFiles, async (cwd) => {
    const store = await openStore('sqlite:.assay/assay.db', cwd);
    await fillForWalk(store, { runHeader, finishedTrial });
    await store[Symbol.asyncDispose]();
    const server = await serveForBench(cwd);
    const { chromium } = await import('playwright-core');
    const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
    try {
      const page = await browser.newPage({ viewport: { width: 1360, height: 900 } });
      page.setDefaultTimeout(60_000);
      await page.goto(server.url);
      const { steps, clicks } = await usabilityWalk(page, (path) => new URL(path, server.url).href);
      return [
        atMost('from the newest failure to a shared result', clicks, 12, 'clicks'),
        ...steps.map(({ name, ms }) => atMost(`  ${name}`, ms, 500, 'ms')),
      ];
    } finally {
      await browser.close();
      await server.end();
    }
  });
}

function pagesAndApi() {
  return withFolder({}, async (cwd) => {
    await fill(cwd);
    const server = await serveForBench(cwd);
    try {
      // First: what a page that is left has asked for goes on for a while.
      const pages = await apiPages(server);
      return [pages, ...(await heavyRequests(server)), ...(await inBrowser(server))];
    } finally {
      await server.end();
    }
  });
}

/** Between two looks at whether others wait: without a pause the looks would take a processor for themselves. */
const pauseMs = 20;

/** The body of a check of a file with so many cases. */
function checkOf(cases) {
  const lines = Array.from({ length: cases }, (_, index) => `  - { input: { a: ${index} } }`);
  const text = `name: big\ncall: { command: cat }\ncases:\n${lines.join('\n')}\npassCriteria: [result.a > 0]\n`;
  return { method: 'POST', body: JSON.stringify({ path: 'big.yaml', kind: 'scenario', text }) };
}

/** Heavy requests, and how long others waited meanwhile; the limit is that of the request, whatever it competes with. */
async function heavyRequests({ url, token }) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const request = async (path, init) => {
    const response = await fetch(new URL(path, url), { headers, ...init });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${text}`);
    return text;
  };
  const results = [];
  for (const [what, limit, heavy] of [
    ['first page of a run of 100,000 trials', 5, () => request(`/api/runs/${runId}`)],
    ['first page of all', 5, () => request('/api/dashboard')],
    ['search in 100,000 trials', 2, () => request(`/api/runs/${runId}/trials?text=nowhere`)],
    ['first sort of the grid of 100,000 cases', 10, () => request(`/api/runs/${runId}/cases?sort=duration`)],
    ['comparison of 2 runs of 100,000 trials', 10, () => request(`/api/compare?a=${otherRunId}&b=${runId}`)],
    ['check of a YAML file with 30,000 cases', 1.5, () => request('/api/files-check', checkOf(30_000))],
    ['check of a YAML file with 150,000 cases', 10, () => request('/api/files-check', checkOf(150_000))],
    ['figures of a run of 100,000 trials', 10, () => request(`/api/runs/${runId}/breakdown`)],
    ['HTML report of 100,000 trials', 20, () => request(`/api/runs/${runId}/report/html`)],
    ['CSV report of 100,000 trials', 20, () => request(`/api/runs/${runId}/report/csv`)],
  ]) {
    const { seconds, longest } = await meanwhile(heavy, () => request('/api/session'));
    results.push(atMost(what, seconds, limit, 's'), atMost('  longest wait of other requests', longest, 100, 'ms'));
  }
  return results;
}

/** How long one request takes, and the longest that another took while it was made. */
async function meanwhile(heavy, other) {
  const began = performance.now();
  let isDone = false;
  const done = heavy().finally(() => {
    isDone = true;
  });
  let longest = 0;
  while (!isDone) {
    const sent = performance.now();
    await other();
    longest = Math.max(longest, performance.now() - sent);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  await done;
  return { seconds: (performance.now() - began) / 1_000, longest };
}

/** Two runs of 100,000 trials, and many small ones around them. */
async function fill(cwd) {
  const store = await openStore('sqlite:.assay/assay.db', cwd);
  const finishedAt = 1_700_000_900_000;
  for (let index = 0; index < runs; index++) {
    await store.createRun(runHeader(`r-${index}`, { startedAt: index, planned: 1, status: 'finished', finishedAt }));
    await store.saveTrials([finishedTrial(`r-${index}`, 0)]);
  }
  for (const large of [otherRunId, runId]) {
    await store.createRun(runHeader(large, { planned: trials, status: 'finished', finishedAt }));
    for (let first = 0; first < trials; first += 1_000) {
      await store.saveTrials(Array.from({ length: 1_000 }, (_, index) => trialOf(large, first + index)));
    }
  }
  await store[Symbol.asyncDispose]();
}

function trialOf(large, ordinal) {
  // The trials of a scenario lie side by side in a plan.
  const scenario = `scenario ${Math.floor(ordinal / 500)}`;
  const { record, trace } = finishedTrial(large, ordinal, { outcome: ordinal % 9 === 0 ? 'fail' : 'pass', scenario });
  const reason = ordinal % 9 === 0 ? `expected ${ordinal} and got ${ordinal % 7}` : 'because';
  return { record: { ...record, reason, durationMs: 1_000 + (ordinal % 977) * 13 }, trace };
}

async function inBrowser({ url }) {
  const executablePath = findChromium();
  if (!executablePath) return [{ what: 'pages of 100,000 trials', measured: 'left out: no Chromium was found' }];
  const { chromium } = await import('playwright-core');
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  try {
    const page = await browser.newPage({ viewport: { width: 1360, height: 900 } });
    const firstLoad = await scriptsOf(page, url);
    const list = await rowsShown(page, new URL('/runs', url).href);
    const run = await rowsShown(page, new URL(`/runs/${runId}`, url).href);
    return [
      atMost('list of runs: first rows in Chromium', list, 500, 'ms'),
      atMost('run of 100,000 trials: first rows', run, 500, 'ms'),
      atMost('  script of the first load, gzip', firstLoad / 1_000, 200, 'kB'),
    ];
  } finally {
    await browser.close();
  }
}

/** Compressed bytes of the scripts that the first page loads. */
async function scriptsOf(page, url) {
  const loading = [];
  const onResponse = (response) => {
    if (response.request().resourceType() === 'script') loading.push(response.body());
  };
  page.on('response', onResponse);
  await page.goto(url, { waitUntil: 'networkidle' });
  page.off('response', onResponse);
  const bodies = await Promise.all(loading);
  return bodies.reduce((sum, body) => sum + gzipSync(body).length, 0);
}

/** Looks as rarely as the page is drawn, so that looking takes no time of its own. */
const rowsThere = `new Promise((done) => {
  const look = () => (document.querySelector('main [data-row-link]') ? done() : requestAnimationFrame(look));
  look();
})`;

/** Milliseconds until a table has rows, from asking for the page on; the median of several loads. */
async function rowsShown(page, address) {
  const times = [];
  for (let round = 0; round < rounds; round++) {
    await page.goto('about:blank');
    const began = performance.now();
    await page.goto(address, { waitUntil: 'commit' });
    await page.evaluate(rowsThere);
    times.push(performance.now() - began);
  }
  return median(times);
}

/** The 95th percentile of pages of 100 trials, asked for by several clients at once. */
async function apiPages({ url, token }) {
  const orders = ['order=plan', 'order=duration&direction=desc', 'outcome=fail', 'scenario=scenario%20190'];
  const times = [];
  await Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      // The first few of each client make its connection, and warm both programs up.
      for (let index = -warmUpRequests; index < requestsPerClient; index++) {
        const path = `/api/runs/${runId}/trials?limit=100&${orders[(client + index + warmUpRequests) % orders.length]}`;
        const began = performance.now();
        const response = await fetch(new URL(path, url), { headers: { authorization: `Bearer ${token}` } });
        const { items } = await response.json();
        if (index >= 0) times.push(performance.now() - began);
        if (items.length !== 100) throw new Error(`${path} gave ${items.length} trials`);
      }
    }),
  );
  times.sort((a, b) => a - b);
  return atMost(`API page of 100 trials, ${clients} clients, p95`, times[Math.floor(times.length * 0.95)], 50, 'ms');
}

function atMost(what, measured, limit, unit) {
  return {
    what,
    measured: `${measured.toFixed(unit === 's' ? 1 : 0)} ${unit}`,
    target: `at most ${limit} ${unit}`,
    isMet: measured <= limit,
  };
}
