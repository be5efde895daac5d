import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findChromium } from '../../scripts/find-chromium.mjs';
import type { Comparison, MetricComparison } from '../../src/report/compare/comparison.ts';
import { figuresOfScreen, foldedFigures, likeTheseCell, tasksCell } from '../../src/report/compare/figure-rows.ts';
import { changeText, sideTexts } from '../../src/report/compare/figure-words.ts';
import { triesText } from '../../src/report/presentation/trial-text.ts';
import { startAssay } from '../../src/testing/support/assay.ts';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { BrowserPage } from '../../src/testing/support/chromium.ts';
import { connectToAssay } from '../../src/testing/support/mcp-client.ts';
import { openProjectStore } from '../../src/testing/support/project-store.ts';
import {
  csvFigures,
  documentFigures,
  everyFigure,
  type FigureDocument,
  junitFigures,
  reportDocumentIn,
  wordsOf,
} from '../../src/testing/support/reported-figures.ts';
import { type RunShape, runShapes } from '../../src/testing/support/run-shapes.ts';
import { writeFiles } from '../../src/testing/support/temporary-folder.ts';

const formats = 'console,json,junit,markdown,html,csv';
const tool = {
  'tool.mjs': 'export function draw({ n }) {\n  if (n > 3) throw new Error("no");\n  return { n };\n}\n',
  'draw.yaml': `name: Draw
call: { module: ./tool.mjs, export: draw }
passCriteria: [result.n < 3]
repeat: 3
cases: [{ input: { n: 1 } }, { input: { n: 2 } }, { input: { n: 3 } }, { input: { n: 4 } }]
`,
};

/** Two versions of a tool: the second breaks two of twelve cases, and repeats itself. */
function version(broken: readonly number[], text: string) {
  const broke = JSON.stringify(broken);
  return `export function say({ n }) {\n  return { isRight: n !== 12 && !${broke}.includes(n), text: ${JSON.stringify(text)} };\n}\n`;
}
const inputs = Array.from({ length: 12 }, (_, index) => `{ input: { n: ${index + 1} } }`).join(', ');
const compared = {
  'say.yaml': `name: Say
call: { module: ./say.mjs, export: say }
passCriteria: [result.isRight]
repeat: 5
cases: [${inputs}]
`,
};

/** Opens what is folded, and holds once all of it is drawn. */
const everythingOpen =
  '[...document.querySelectorAll("details")].map((one) => (one.open = true) && one.childElementCount > 1).every(Boolean)';

/** What trials say by themselves, counted here without any code of the program. */
function countedFrom({ header, trials }: RunShape): Readonly<Record<string, unknown>> {
  const records = trials.map(({ record }) => record);
  const count = (outcome: string) => records.filter((record) => record.outcome === outcome).length;
  const fresh = records.filter(({ cachedFrom }) => cachedFrom === null);
  const nameOf = ({ caseId, variant }: (typeof fresh)[number]) => JSON.stringify([caseId, variant]);
  const shares = [...new Set(fresh.map(nameOf))].flatMap((name) => {
    const cell = fresh.filter((record) => nameOf(record) === name);
    const judged = cell.filter(({ outcome }) => outcome === 'pass' || outcome === 'fail');
    const passed = judged.filter(({ outcome }) => outcome === 'pass');
    return judged.length === 0 ? [] : [passed.length / judged.length];
  });
  const known = records.flatMap(({ costUsd }) => costUsd ?? []);
  return {
    planned: header.planned,
    passed: count('pass'),
    failed: count('fail'),
    errors: count('error'),
    skipped: count('skipped'),
    not_run: header.planned - records.length,
    reused: records.length - fresh.length,
    trials_without_cost: records.length - known.length,
    known_cost_usd: known.reduce((sum, cost) => sum + cost, 0),
    pass_rate: shares.length === 0 ? undefined : shares.reduce((sum, share) => sum + share, 0) / shares.length,
  };
}

describe('the same run', () => {
  const shapes = runShapes();
  let folder: string;
  let request: (path: string) => Promise<unknown>;
  let signIn: string;
  let stop: () => void = () => undefined;
  let page: BrowserPage | undefined;
  let realRun: { readonly runId: string; readonly console: string };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'assay-agreement-'));
    await writeFiles(folder, tool);
    const run = await assay(['run', 'draw.yaml', '--reporter', 'console,json', '-o', 'real'], { cwd: folder });
    const { runId } = JSON.parse(await readFile(join(folder, 'real', 'run.json'), 'utf8'));
    realRun = { runId, console: run.stdout };
    await using store = await openProjectStore(folder);
    for (const { header, trials } of shapes) {
      await store.createRun(header);
      await store.saveTrials(trials);
    }
    const child = startAssay(['serve', '--json', '--port', '0'], { cwd: folder });
    stop = () => void child.kill('SIGKILL');
    const line = await new Promise<string>((resolve) => child.stdout?.once('data', (text) => resolve(String(text))));
    const { url, token } = JSON.parse(line);
    signIn = new URL(`/?token=${token}`, url).href;
    request = async (path) =>
      (await fetch(new URL(path, url), { headers: { authorization: `Bearer ${token}` } })).json();
    page = await BrowserPage.open(findChromium() ?? '');
  });

  afterAll(async () => {
    stop();
    await page?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  /** A run of one version; the module is loaded again because its file is another one. */
  async function runOf(text: string): Promise<string> {
    await writeFiles(folder, { ...compared, 'say.mjs': text });
    const { stdout } = await assay(['run', 'say.yaml', '--json'], { cwd: folder });
    return JSON.parse(stdout).runId;
  }

  async function figuresAgree(runId: string): Promise<FigureDocument> {
    const output = `reports-${runId}`;
    const written = await assay(['report', runId, '--format', formats, '-o', output], { cwd: folder });
    expect(written.exitCode, written.stderr).toBe(written.stderr.includes('did not run') ? 3 : 0);
    const read = (name: string) => readFile(join(folder, output, name), 'utf8');
    const document: FigureDocument = JSON.parse(await read('run.json'));
    const figures = documentFigures(document);
    const given = Object.fromEntries(Object.entries(figures).filter(([, value]) => value !== undefined));

    expect(everyFigure((await request(`/api/runs/${runId}`)) as FigureDocument), 'API').toEqual(everyFigure(document));
    const html = await read('report.html');
    const { run, breakdown } = reportDocumentIn(html);
    expect(everyFigure(run), 'HTML').toEqual(everyFigure(document));
    expect(breakdown, 'HTML').toEqual(await request(`/api/runs/${runId}/breakdown`));
    const [junit, csv] = [await read('junit.xml'), await read('trials.csv')];
    if (document.totals.planned > document.totals.notRun) {
      expect(junitFigures(junit), 'JUnit').toEqual(given);
      expect(csvFigures(csv), 'CSV').toEqual(given);
    }
    await page?.load(pathToFileURL(join(folder, output, 'report.html')).href);
    await page?.until('document.querySelector("[aria-label=Totals]") !== null');
    await page?.until(everythingOpen);
    const shown = {
      console: await read('report.txt'),
      Markdown: await read('report.md'),
      'HTML, as shown': String(await page?.evaluate('document.body.innerText')),
    };
    for (const [name, text] of Object.entries(shown)) {
      const flat = text.replace(/[\s|]+/g, ' ').replaceAll('\\', '');
      const isOneTrial = name !== 'HTML, as shown' && document.totals.planned === 1;
      const surface = name === 'HTML, as shown' ? 'page' : 'text';
      for (const words of isOneTrial ? [] : wordsOf(document, surface))
        expect(flat, `${name} of ${runId}`).toContain(words);
      const { knownUsd, unknownTrials } = document.cost;
      if (unknownTrials > 0)
        expect(flat, name).toMatch(new RegExp(`${unknownTrials} trials? did not report (its|their)`));
      else if (knownUsd > 0) expect(Math.abs(amountIn(flat) - knownUsd), name).toBeLessThanOrEqual(0.005 + 1e-9);
    }
    const { pass, fail, error } = document.totals;
    expect(shown.Markdown).toMatch(
      new RegExp(`\\| ${document.totals.planned} \\| ${pass}[^|]* \\| ${fail} \\| ${error} \\|`),
    );
    expect(shown.console).toMatch(new RegExp(`${document.totals.planned} trials?: ${pass} passed`));
    return document;
  }

  it.each(shapes.map((shape) => [shape.header.runId, shape] as const))(
    'has the same totals, rates, intervals and costs everywhere: %s',
    async (runId, shape) => {
      const document = await figuresAgree(runId);
      const counted = countedFrom(shape);
      const figures = documentFigures(document);
      for (const [name, value] of Object.entries(counted)) {
        if (typeof value === 'number') expect(figures[name], name).toBeCloseTo(value, 9);
        else expect(figures[name], name).toBe(value);
      }
    },
  );

  it('agrees for a run of the program itself, also with what it printed', async () => {
    const document = await figuresAgree(realRun.runId);
    expect(document.totals).toEqual({ planned: 12, pass: 6, fail: 6, error: 0, skipped: 0, notRun: 0 });
    const flat = realRun.console.replace(/\s+/g, ' ');
    for (const words of wordsOf(document, 'text')) expect(flat).toContain(words);
  });

  it('agrees with another run in every figure, on every surface', async () => {
    const [a, b] = [await runOf(version([], 'fine')), await runOf(version([3, 4], 'fine, fine, fine'))];
    const compare = (...flags: string[]) => assay(['compare', a, b, ...flags], { cwd: folder });
    const comparison: Comparison = JSON.parse((await compare('--json')).stdout);
    const [passes] = comparison.metrics;
    // Counted here: 11 of 12 cases always pass, then 9.
    expect(passes).toMatchObject({ name: 'pass-rate', cases: 12, repeats: { fewest: 5, most: 5 } });
    expect([passes?.meanA, passes?.meanB]).toEqual([11 / 12, 9 / 12]);
    expect(comparison.answerOnTheseTasks).toBe('worse');

    const { details: _, ...served } = (await request(`/api/compare?a=${a}&b=${b}`)) as Comparison;
    expect(served, 'API').toEqual(comparison);
    const { call } = await connectToAssay(folder);
    const tool = await call('compare', { a, b });
    const { metrics, answer, answerOnTheseTasks, summary } = tool.data as unknown as Comparison;
    expect({ answer, answerOnTheseTasks, summary }, 'MCP').toEqual(partsOf(comparison));
    for (const [index, metric] of metrics.entries())
      expect(comparison.metrics[index], 'MCP').toMatchObject(given(metric));

    const printed = await compare();
    await compare('--format', 'markdown,html', '-o', 'compared');
    const read = (name: string) => readFile(join(folder, 'compared', name), 'utf8');
    const bodyOf = async (address: string): Promise<string> => {
      await page?.load(address);
      return shownBody();
    };
    const shownBody = async (): Promise<string> => {
      await page?.until('document.body?.innerText.includes("For tasks like these")');
      await page?.until(everythingOpen);
      return String(await page?.evaluate('document.body.innerText'));
    };
    const comparePage = async (): Promise<string> => {
      await page?.load(signIn);
      // From inside: the cookie of a login is not sent with an address that comes from elsewhere.
      await page?.evaluate(`location.assign('/compare?a=${a}&b=${b}')`);
      return shownBody();
    };
    const surfaces = {
      console: printed.stdout,
      Markdown: await read('comparison.md'),
      HTML: await bodyOf(pathToFileURL(join(folder, 'compared', 'comparison.html')).href),
      page: await comparePage(),
      MCP: tool.text,
    };
    expect(comparison.changedCases).toHaveLength(2);
    for (const [name, text] of Object.entries(surfaces)) {
      const flat = text.replace(/[\s|*]+/g, ' ').replaceAll('\\', '');
      for (const words of comparisonWords(comparison, name)) expect(flat, name).toContain(words);
    }
    const { comparison: inside } = reportDocumentIn(await read('comparison.html'));
    const { details: __, ...ofPage } = inside ?? {};
    expect(ofPage, 'HTML').toEqual(comparison);
  });

  it('has its totals, its cost and its pass rate in MCP too', async () => {
    const { call } = await connectToAssay(folder);
    for (const runId of [realRun.runId, ...shapes.map(({ header }) => header.runId)]) {
      const { text, data } = await call('show', { what: runId });
      const { totals, notJudged, costUsd, durationMs, passRate } = data.run as unknown as FigureDocument;
      const document = (await request(`/api/runs/${runId}`)) as FigureDocument;
      expect(document, runId).toMatchObject({ totals, notJudged, costUsd, durationMs, passRate });
      for (const words of wordsOf({ ...document, repeats: null }, 'text')) expect(text, runId).toContain(words);
    }
  });

  it('lists runs and trends with the same figures', async () => {
    const list = (await request('/api/runs?limit=100')) as { items: (FigureDocument & { runId: string })[] };
    const dashboard = (await request('/api/dashboard')) as {
      trends: { trend: { runId: string; passRate: number | null }[] }[];
    };
    const points = dashboard.trends.flatMap(({ trend }) => trend);
    for (const { runId, totals, cost } of list.items) {
      const detail = (await request(`/api/runs/${runId}`)) as FigureDocument;
      expect({ totals, cost }, runId).toEqual({ totals: detail.totals, cost: detail.cost });
      const point = points.find((one) => one.runId === runId);
      if (point) expect(point.passRate, runId).toBe(detail.passRate.rate);
    }
    expect(points.length).toBeGreaterThan(4);
  });
});

function partsOf({ answer, answerOnTheseTasks, summary }: Comparison) {
  return { answer, answerOnTheseTasks, summary };
}

/** The figures that an MCP client gets, in the form of the document: words are checked beside them. */
function given(metric: object): object {
  return JSON.parse(JSON.stringify(metric, (key, value) => (key === 'text' || value === null ? undefined : value)));
}

/** All that a surface says of a comparison: a terminal has no room for the intervals of figures that did not change. */
function comparisonWords({ summary, notes, metrics, changedCases }: Comparison, surface: string): string[] {
  const { listed, folded = '' } = foldedFigures(metrics);
  const full = surface === 'console' ? figuresOfScreen(metrics).rows : listed;
  const values = listed.flatMap((metric) => [...sideTexts(metric), changeText(metric)]);
  // An MCP client gets all figures one by one.
  const others = surface === 'MCP' ? [] : [folded];
  return [summary, ...notes, ...full.flatMap(cellsOf), ...values, ...others, ...changedCases.map(triesText)];
}

/** Every cell of a figure: both values, the change, and both answers with their intervals. */
function cellsOf(metric: MetricComparison): string[] {
  return [...sideTexts(metric), changeText(metric), tasksCell(metric), likeTheseCell(metric)];
}

/** The amount of money behind the word cost. */
function amountIn(text: string): number {
  return Number(/cost:? ?\$([\d.,]+)/i.exec(text)?.[1]?.replace(',', '') ?? Number.NaN);
}
