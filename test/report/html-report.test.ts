import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findChromium } from '../../scripts/find-chromium.mjs';
import type { FinishedTrial } from '../../src/keep/store/store.ts';
import { compareSides } from '../../src/report/compare/compare-sides.ts';
import type { SideSource } from '../../src/report/compare/side-collector.ts';
import { storedSource } from '../../src/report/compare/stored-source.ts';
import { htmlReporter } from '../../src/report/reporters/index.ts';
import type { StoredRun } from '../../src/report/reporters/reporter.ts';
import { withVisibleMarks } from '../../src/shared/text.ts';
import { finishedTrial, runHeader } from '../../src/testing/samples.ts';
import { BrowserPage } from '../../src/testing/support/chromium.ts';
import { fullTrial, storedRun } from '../../src/testing/support/report-run.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const chromium = findChromium() ?? '';

async function writtenPage(run: StoredRun): Promise<string> {
  const pieces: string[] = [];
  for await (const piece of htmlReporter.render(run, { color: false })) pieces.push(piece);
  const path = join(await temporaryFolder(), 'report.html');
  await writeFile(path, pieces.join(''));
  return pathToFileURL(path).href;
}

async function pageOf(trials: readonly FinishedTrial[]): Promise<string> {
  await using run = await storedRun(trials);
  return await writtenPage(run);
}

/** Twelve trials, of which every third failed, under two variants. */
function mixedTrials(): FinishedTrial[] {
  return Array.from({ length: 12 }, (_, index) =>
    fullTrial(index, {
      outcome: index % 3 === 0 ? 'fail' : 'pass',
      text: index % 3 === 0 ? `refused ${index}` : 'fine',
      record: { scenario: index < 6 ? 'Book' : 'Cancel', durationMs: 100 * (12 - index), caseId: 'task' },
    }),
  );
}

function caseTrial(index: number, outcome: 'pass' | 'fail'): FinishedTrial {
  const { record, trace } = finishedTrial('r-report', index, { outcome });
  return { record: { ...record, caseId: `case ${index}` }, trace };
}

const hostileTexts = [
  '</script><script>window.hacked = 1</script>',
  '<img src="x" onerror="window.hacked = 1">',
  '<!--<script>',
  '"><svg onload="window.hacked = 1">',
  '${window.hacked = 1}\u2028 \u202E javascript:window.hacked=1',
];

/** Elements that only text of a trial could have made. */
const markup = "document.querySelectorAll('img, main script, [onerror], [onload]').length";

/** The page of the run, and its results listed by trial. */
const runPage = '#/runs/r-report';
const trialsView = `${runPage}?view=trials`;

const openTrial = "document.querySelector('[data-event]') !== null";
/** Results are drawn where they are in sight. */
const inSight = "document.getElementById('trials')?.scrollIntoView()";
const rows = `(${inSight}, document.querySelectorAll('[role=table] [data-index]'))`;
const trialRows = `(${inSight}, document.querySelectorAll('[aria-label=Trials] [data-index]'))`;
const reasons = `[...${trialRows}].map((row) => row.querySelector('.text-muted.truncate').textContent)`;
/** Opens what is folded. */
const unfold = "document.querySelectorAll('main details').forEach((each) => { each.open = true; })";
/** Holds once the page of the run has been drawn. */
const drawn = "document.querySelector('[aria-label=Totals]') !== null";

describe.skipIf(chromium === '')('the HTML report in Chromium (left out where there is none)', () => {
  let page: BrowserPage;
  beforeAll(async () => {
    page = await BrowserPage.open(chromium);
  });
  // Too narrow for a trial beside its list: trials open on their own pages.
  beforeEach(() => page.resize(1280, 900));
  afterAll(() => page[Symbol.asyncDispose]());

  it('asks for nothing, complains of nothing, and tells how the run ended', async () => {
    const address = await pageOf(mixedTrials());
    await page.resize(1360, 900);
    await page.load(address);
    await page.until(drawn);
    await page.until("document.querySelector('aside h2') !== null");
    await page.evaluate("document.querySelector('[aria-label=Totals] summary').click()");
    await page.until("document.querySelector('main')?.innerText.includes('judged trials passed')");
    expect(await page.evaluate('document.title')).toBe('sample · Assay');
    const text = await page.evaluate("document.querySelector('main').innerText");
    expect(text).toContain('4 of 12 trials failed');
    expect(text).toContain('8 of 12 judged trials passed');
    expect(text).toContain('50 % (95 % interval 9 % to 91 %, for tasks like these) over 6 cases');
    expect(text).toContain('What happened');
    expect(page.requests.filter((url) => !url.startsWith('data:'))).toEqual([]);
    expect(page.complaints).toEqual([]);
  });

  it('lists tests with the counts of their criteria and their times', async () => {
    const scenario = { name: 'Add', file: 'add.yaml', contentHash: 'x', caseCount: 2, repeat: 1 };
    const flags = { isAgentDriven: false, isConversation: false, serverPart: null };
    const record = { scenario: 'Add', variant: {}, caseId: 'one' };
    await using run = await storedRun(
      [fullTrial(0, { record }), fullTrial(1, { record: { ...record, caseId: 'two' } })],
      {
        scenarios: [{ ...scenario, ...flags }],
      },
    );
    await page.load(await writtenPage(run));
    await page.until("document.querySelector('main')?.innerText.includes('Performance')");
    await page.evaluate(unfold);
    await page.until("document.querySelector('main')?.innerText.includes('937 ms')");
    const text = String(await page.evaluate("document.querySelector('main').innerText"));
    expect(text).toMatch(/Add › one \(\d+\/\d+ pass criteria met, \d+\/\d+ fail criteria\)/);
    expect(text).toMatch(/Performance[\s\S]*Add\s+2\s+919 ms\s+900 ms\s+937 ms\s+937 ms/);
    expect(page.complaints).toEqual([]);
  });

  it('shows hostile text as text wherever it stands', async () => {
    const address = await pageOf(hostileTexts.map((text, index) => fullTrial(index, { text })));
    await page.load(`${address}${runPage}`);
    await page.until(`${rows}.length === 5`);
    const scripts = await page.evaluate('document.scripts.length');
    expect(await page.evaluate(markup)).toBe(0);
    await page.evaluate(`location.hash = '${trialsView}'`);
    await page.until(`${trialRows}.length === 5`);
    const links = "[...document.querySelectorAll('[data-row-link]')].map((link) => link.getAttribute('href'))";
    const trials = (await page.evaluate(links)) as string[];
    for (const [index, text] of hostileTexts.entries()) {
      await page.evaluate(`location.hash = '${trialsView}&text=${encodeURIComponent(text)}'`);
      await page.until(`${trialRows}.length === 1`);
      await page.evaluate(`location.hash = '${trials[index]}'`);
      await page.until(openTrial);
      await page.evaluate('document.querySelector(\'button[aria-label="Open all"]\').click()');
      await page.until("document.querySelectorAll('[data-event]').length > 6");
      const shown = String(await page.evaluate("document.querySelector('main').textContent"));
      expect(shown.split(withVisibleMarks(text)).length, text).toBeGreaterThan(20);
      expect(await page.evaluate(markup)).toBe(0);
      const targets = (await page.evaluate("[...document.links].map((a) => a.getAttribute('href'))")) as string[];
      expect(targets.filter((target) => !target.startsWith('#'))).toEqual([]);
    }
    expect(await page.evaluate('window.hacked')).toBeUndefined();
    expect(await page.evaluate('document.scripts.length')).toBe(scripts);
    expect(page.complaints).toEqual([]);
  });

  it('refuses code that somebody puts into the page afterwards', async () => {
    const address = await pageOf(mixedTrials());
    await page.load(address);
    const injected = `(() => {
      const script = document.createElement('script');
      try { script.text = 'window.hacked = 1'; } catch { return 'refused'; }
      document.body.append(script);
      return 'added';
    })()`;
    expect(await page.evaluate(injected)).toBe('refused');
    expect(await page.evaluate('window.hacked')).toBeUndefined();
  });

  it('filters, searches and sorts, and keeps each view in its address', async () => {
    const address = await pageOf(mixedTrials());
    const listed = (count: number) => page.until(`${reasons}.length === ${count}`);
    await page.load(`${address}${trialsView}&outcome=fail&scenario=Cancel`);
    await listed(2);
    expect(await page.evaluate(reasons)).toEqual(['refused 6', 'refused 9']);
    await page.load(`${address}${trialsView}`);
    await listed(12);
    await page.press('/');
    for (const key of 'refused') await page.press(key);
    await listed(4);
    const sort =
      "[...document.querySelectorAll('[role=columnheader] button')].find((b) => b.textContent === 'Took').click()";
    await page.evaluate(sort);
    await page.until("location.hash.includes('direction=desc')");
    await page.until(`${reasons}.join() === 'refused 0,refused 3,refused 6,refused 9'`);
    await page.evaluate(sort);
    await page.until(`${reasons}.join() === 'refused 9,refused 6,refused 3,refused 0'`);
    const hash = await page.evaluate('location.hash');
    expect(hash).toBe(`${trialsView}&text=refused&order=duration&direction=asc`);
    await page.load(`${address}${hash}`);
    await page.until(`${reasons}.join() === 'refused 9,refused 6,refused 3,refused 0'`);
  });

  it('can be used with the keyboard alone', async () => {
    const address = await pageOf(mixedTrials());
    await page.load(`${address}${trialsView}`);
    await page.until(`${reasons}.length === 12`);
    await page.evaluate("document.querySelector('[data-row-link]').focus()");
    const place = "document.activeElement.closest('[data-index]').dataset.index";
    await page.press('ArrowDown');
    await page.press('ArrowDown');
    expect(await page.evaluate(place)).toBe('2');
    await page.press('End');
    await page.until(`${place} === '11'`);
    await page.press('Home');
    await page.until(`${place} === '0'`);
    await page.press('Enter');
    await page.until(openTrial);
    expect(await page.evaluate("document.querySelector('main').innerText")).toContain('refused 0');
  });

  it('jumps from the evidence of the judge to the event, also by its address', async () => {
    const address = await pageOf(mixedTrials());
    await page.load(`${address}${trialsView}&outcome=fail`);
    await page.until(`${reasons}.length === 4`);
    await page.evaluate("document.querySelector('[data-row-link]').click()");
    await page.until(openTrial);
    await page.evaluate(
      "[...document.querySelectorAll('main button')].find((b) => b.textContent.trim().endsWith('e6')).click()",
    );
    const wanted = "document.querySelector('[data-event][aria-current]')";
    await page.until(`${wanted} !== null`);
    expect(await page.evaluate(`${wanted}.getAttribute('aria-label')`)).toMatch(/^e6, /);
    const hash = await page.evaluate('location.hash');
    expect(hash).toMatch(/[?&]event=e6(&|$)/);
    await page.load(`${address}${hash}`);
    await page.until(`${wanted} !== null`);
    await page.until(`${wanted}.textContent.includes('12 bytes were not kept')`);
    expect(page.complaints).toEqual([]);
  });

  it('has no view that is wider than a narrow window', async () => {
    const address = await pageOf([...mixedTrials(), fullTrial(12, { text: 'x'.repeat(400) })]);
    await page.resize(360, 740);
    await page.load(`${address}${trialsView}`);
    await page.until(`${reasons}.length > 3`);
    const trials = (await page.evaluate(
      "[...document.querySelectorAll('[data-row-link]')].map((link) => link.getAttribute('href'))",
    )) as string[];
    for (const hash of [runPage, trialsView, trials[0], trials.at(-1)]) {
      await page.load(`${address}${hash}`);
      await page.until(hash?.startsWith('#/trials/') ? "document.querySelector('[role=tab]') !== null" : drawn);
      expect(await page.evaluate('document.documentElement.scrollWidth'), hash).toBeLessThanOrEqual(360);
    }
  });

  it('can be read in light and in dark', async () => {
    const address = await pageOf(mixedTrials());
    for (const scheme of ['light', 'dark']) {
      await page.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: scheme }] });
      await page.load(address);
      await page.until(drawn);
      const ratios = (await page.evaluate(contrasts)) as [string, number][];
      expect(ratios.filter(([, ratio]) => ratio < 4.5)).toEqual([]);
      expect(ratios.length).toBeGreaterThan(15);
    }
    const ground = 'getComputedStyle(document.body).backgroundColor';
    const dark = await page.evaluate(ground);
    await page.evaluate("document.querySelector('button[aria-label=Light]').click()");
    expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('light');
    expect(await page.evaluate(ground)).not.toBe(dark);
  });

  it('opens ten thousand trials, of which only those in view are rows', async () => {
    const trials = Array.from({ length: 10_000 }, (_, index) =>
      finishedTrial('r-report', index, { outcome: index % 10 === 0 ? 'fail' : 'pass' }),
    );
    const address = await pageOf(trials);
    await page.load(`${address}${trialsView}`);
    await page.until(`${rows}.length > 0`);
    const head = "[...document.querySelectorAll('h2')].find((h) => h.textContent.startsWith('Trials')).textContent";
    expect(await page.evaluate(head)).toBe('Trials 10,000');
    expect(await page.evaluate(`${rows}.length`)).toBeLessThan(60);
    await page.evaluate('window.scrollTo(0, document.body.scrollHeight)');
    await page.until('document.querySelector(\'[data-index="9999"]\') !== null');
    expect(await page.evaluate("document.querySelectorAll('[data-index]').length")).toBeLessThan(60);
    await page.evaluate('document.querySelector(\'[data-index="9999"] a\').click()');
    await page.until(openTrial);
    // A call and its result share a row.
    expect(await page.evaluate("document.querySelectorAll('[data-event]').length")).toBe(2);
    await page.evaluate('history.back()');
    await page.until('document.querySelector(\'[data-index="9999"]\') !== null');
  });

  it('puts two runs side by side where it was asked to', async () => {
    const fine = Array.from({ length: 12 }, (_, index) => caseTrial(index, 'pass'));
    const broken = Array.from({ length: 12 }, (_, index) => caseTrial(index, index < 8 ? 'fail' : 'pass'));
    await using before = await storedRun(fine);
    await using after = await storedRun(broken);
    const [a, b] = [before, after].map(({ summary, store }) => storedSource(summary.run, store)) as [
      SideSource,
      SideSource,
    ];
    const comparison = await compareSides(a, b);
    const address = await writtenPage({ ...after, comparison });
    await page.load(address);
    await page.until(drawn);
    await page.evaluate("[...document.querySelectorAll('nav a')].find((a) => a.textContent === 'Comparison').click()");
    await page.until("document.querySelector('main')?.innerText.includes('Trial of B')");
    await page.evaluate(unfold);
    await page.until("document.querySelector('main')?.innerText.includes('−67')");
    const text = String(await page.evaluate("document.querySelector('main').innerText"));
    expect(text.replace(/\s+/g, ' ')).toContain(comparison.summary);
    expect(text).toContain('worse');
    expect(text).toMatch(/100 %\s+33 %\s+−67/);
    const ofB = "[...document.querySelectorAll('main li a')].filter((a) => a.textContent === 'Trial of B')";
    expect(await page.evaluate(`${ofB}.length`)).toBe(8);
    await page.evaluate(`${ofB}[0].click()`);
    await page.until(openTrial);
    expect(page.complaints).toEqual([]);
  });

  it('opens with the comparison that it was written for: pictures with their data, and traces of both sides', async () => {
    await using run = await storedRun(
      Array.from({ length: 12 }, (_, index) => caseTrial(index, index < 8 ? 'fail' : 'pass')),
    );
    const before = runHeader('r-before', { planned: 12, status: 'finished', startedAt: 1 });
    await run.store.createRun(before);
    const trials = Array.from({ length: 12 }, (_, index) => {
      const { record, trace } = caseTrial(index, 'pass');
      return { record: { ...record, runId: 'r-before', trialId: `t-before-${index}`, durationMs: 50 + index }, trace };
    });
    await run.store.saveTrials(trials);
    const [a, b] = [before, run.summary.run].map((header) => storedSource(header, run.store)) as [
      SideSource,
      SideSource,
    ];
    const comparison = await compareSides(a, b, { withDetails: true });
    await page.load(await writtenPage({ ...run, comparison, opensWith: 'comparison' }));
    await page.until("document.querySelector('main')?.innerText.includes('Trial of A')");
    await page.evaluate(unfold);
    await page.until("document.querySelectorAll('main svg circle').length >= 24");
    const text = String(await page.evaluate("document.querySelector('main').innerText"));
    expect(text.replace(/\s+/g, ' ')).toContain(comparison.summary);
    expect(await page.evaluate("document.querySelectorAll('main svg circle').length")).toBeGreaterThanOrEqual(24);
    const ofA = "[...document.querySelectorAll('main li a')].filter((a) => a.textContent === 'Trial of A')";
    await page.evaluate(`${ofA}[0].click()`);
    await page.until(openTrial);
    expect(await page.evaluate('location.hash')).toMatch(/^#\/trials\/t-before-/);
    // A call and its result share a row.
    expect(await page.evaluate("document.querySelectorAll('[data-event]').length")).toBe(2);
    // Trials of A are in no figure of the run.
    await page.evaluate(`location.hash = '${trialsView}'`);
    await page.until(`${rows}.length === 12`);
    expect(page.complaints).toEqual([]);
  });

  it('has the grid of cases: texts, a mark for each repeat, a column for each assertion and metric', async () => {
    const trials = ['pass', 'fail', 'pass', 'pass'].map((outcome, index) => {
      const caseId = index < 2 ? 'first' : 'second';
      const excerpt = { input: `input of ${caseId}`, expected: 'forty-two', answer: `answer ${index}` };
      const variant = { agent: 'pi' };
      const metrics = { speed: index === 3 ? null : index + 1 };
      const record = { scenario: 'Add', variant, caseId, repeat: (index % 2) + 1, excerpt, metrics };
      return fullTrial(index, { outcome: outcome as 'pass' | 'fail', record });
    });
    const address = await pageOf(trials);
    await page.load(`${address}${runPage}`);
    await page.until(`${rows}.length === 2`);
    const heads = await page.evaluate(
      "[...document.querySelectorAll('[role=table] [role=columnheader]')].map((e) => e.textContent)",
    );
    const given = trials[0]?.record.evaluatorResults.filter(({ kind }) => kind === 'assertion') ?? [];
    expect(given.length).toBeGreaterThan(0);
    expect(heads).toEqual([
      ...['Case', 'Trials', 'Input', 'Expected', 'Answer'],
      ...new Set(given.map(({ id, name, type }) => id ?? name ?? type)),
      ...['speed', 'Mean time', 'Mean cost'],
    ]);
    const texts = (await page.evaluate(`[...${rows}].map((e) => e.innerText)`)) as string[];
    expect(texts[0]).toMatch(/Add › first[\s\S]*input of first\s+forty-two\s+answer 1[\s\S]*1\.5\s/);
    expect(texts[1]).toMatch(/input of second[\s\S]*answer 2[\s\S]*3 \(of 1\)/);
    await page.load(`${address}${runPage}?outcome=fail`);
    await page.until(`${rows}.length === 1`);
    const head = "[...document.querySelectorAll('h2')].find((h) => h.textContent.startsWith('Cases')).textContent";
    expect(await page.evaluate(head)).toMatch(/^Cases 1 of/);
    await page.evaluate('document.querySelector(\'[aria-label="Repeat 2 failed"]\').click()');
    await page.until(openTrial);
    expect(await page.evaluate("document.querySelector('h1').textContent")).toContain('fail');
    expect(page.complaints).toEqual([]);
  });

  it('says so when there is nothing to show', async () => {
    const address = await pageOf([]);
    await page.load(address);
    await page.until("document.querySelector('main')?.innerText.includes('No trial has been run')");
    await page.load(`${address}#/trials/t-unknown`);
    await page.until("document.querySelector('main')?.innerText.includes('This report does not hold')");
    await page.load(`${address}#/elsewhere`);
    await page.until("document.querySelector('main')?.innerText.includes('Page not found')");
    expect(page.complaints).toEqual([]);
  });
});

/** The contrast of the colours that stand on each other, by their names in the style sheet. */
const contrasts = `(() => {
  const probe = document.createElement('span');
  document.body.append(probe);
  const colour = (name) => {
    probe.style.color = 'var(--color-' + name + ')';
    return getComputedStyle(probe).color.match(/[\\d.]+/g).slice(0, 3).map(Number);
  };
  const light = (name) => {
    const [r, g, b] = colour(name).map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratio = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
  const grounds = ['ground', 'surface', 'raised'];
  const pairs = ['ink', 'muted', 'accent', 'pass', 'fail', 'error'].flatMap((ink) => grounds.map((ground) => [ink, ground]));
  for (const state of ['pass', 'fail', 'error']) pairs.push([state, state + '-ground']);
  return pairs.map(([ink, ground]) => [ink + ' on ' + ground, ratio(ink, ground)]);
})()`;
