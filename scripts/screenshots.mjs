import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { chromium } from 'playwright-core';
import { findChromium } from './find-chromium.mjs';
import { build, install, root } from './steps.mjs';

/** Pictures of every page in light, dark and narrow, of a project made from the examples: `npm run screenshots`. */
const looks = {
  light: { colorScheme: 'light', viewport: { width: 1360, height: 900 } },
  dark: { colorScheme: 'dark', viewport: { width: 1360, height: 900 } },
  narrow: { colorScheme: 'light', viewport: { width: 360, height: 740 } },
};
const program = join(root, 'bin', 'assay.js');
const examples = ['spreadsheet', 'judged', 'taskmgr', 'calculator', 'variants'];
const collectToken = 'token-of-the-senders-of-pictures';
const config = {
  judge: { model: 'openai/gpt-4o-mini' },
  personas: { impatient: { description: 'Wants it now', goal: 'A table for two tonight', systemPrompt: 'Be short.' } },
  collect: { quietSecs: 0.01, idleSecs: 0.01 },
  rules: { 'names-a-town': { evaluators: [{ type: 'contains', config: { text: 'Oslo' } }] } },
  connectors: { booking: { type: 'http', baseUrl: 'http://127.0.0.1:8081', config: { path: '/chat' } } },
};
const rubric =
  'criteria:\n  - { id: right, weight: 0.6, description: The answer is right }\n  - { id: short, weight: 0.4, description: It is short }\npass_threshold: 0.7\n';

/** Rows of lists are measured once they are there, and then put in their places. */
const drawn = 'new Promise((done) => setTimeout(() => requestAnimationFrame(done), 250))';

/** Examples that were run here have a store of their own. */
const withoutResults = { recursive: true, filter: (source) => basename(source) !== '.assay' };

const folder = process.argv[2] ?? join(root, 'screenshots');
const executablePath = findChromium();
if (!executablePath) {
  console.error('There is no Chromium on PATH, and ASSAY_CHROMIUM names none.');
  process.exit(2);
}
install();
build();
const project = demoProject();
const started = [];
try {
  const env = environmentOf(await start([program, 'fake-model', join('judged', 'script.yaml')]));
  fillStore(env, environmentOf(await start([program, 'fake-model', join('calculator', 'model.yaml')])));
  const serving = { ...env, ASSAY_COLLECT_TOKEN: collectToken };
  const { url } = JSON.parse(await start([program, 'serve', '--json', '--port', '0'], serving));
  await sendTraces(url);
  await takePictures(url);
} finally {
  for (const child of started) child.kill();
  rmSync(project, { recursive: true, force: true });
}
console.log(`Pictures: ${folder}`);

function demoProject() {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'assay-screenshots-')));
  for (const name of examples) cpSync(join(root, 'examples', name), join(path, name), withoutResults);
  symlinkSync(join(root, 'node_modules'), join(path, 'node_modules'), 'dir');
  writeFileSync(join(path, 'assay.config.json'), JSON.stringify(config, undefined, 2));
  mkdirSync(join(path, 'rubrics'));
  writeFileSync(join(path, 'rubrics', 'answers.yaml'), rubric);
  return path;
}

/** What makes every provider the scripted model at an address. No key may be a word that is shown: keys are removed. */
function environmentOf(address) {
  return {
    OPENAI_BASE_URL: `${address}/v1`,
    OPENAI_API_KEY: 'key-of-the-demo',
    ANTHROPIC_BASE_URL: address,
    ANTHROPIC_API_KEY: 'key-of-the-demo',
  };
}

/** Runs as people have them: tools and agents, then the same scenarios before and after something was changed for the worse. */
function fillStore(env, calculatorEnv) {
  assay(['eval', 'calculator.json', '--llm'], calculatorEnv, 'calculator');
  assay(['run', '--no-cache'], env, 'taskmgr');
  assay(
    ['run', 'orders.yaml', '--connector', 'small,medium,large', '--repeat', '3', '--name', 'variants'],
    env,
    'variants',
  );
  const both = ['run', 'spreadsheet/scenarios', 'judged/capital.yaml'];
  assay(both, env);
  const sheet = join(project, 'spreadsheet', 'fixtures', 'companies.csv');
  writeFileSync(sheet, readFileSync(sheet, 'utf8').split('\n').slice(0, -3).join('\n'));
  assay(both, env);
}

/** What fails is part of the pictures; what cannot be run is not. */
function assay(args, env, folderName = '.') {
  const store = `sqlite:${join(project, '.assay', 'assay.db')}`;
  const run = spawnSync(process.execPath, [program, ...args, '--store', store], {
    cwd: join(project, folderName),
    encoding: 'utf8',
    env: { ...process.env, ...env },
  });
  if (run.status === 2 || run.status === null) throw new Error(`assay ${args.join(' ')}\n${run.stdout}${run.stderr}`);
}

async function start(args, env = {}) {
  const child = spawn(process.execPath, args, {
    cwd: project,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, ...env },
  });
  started.push(child);
  const [line] = await once(createInterface(child.stdout), 'line');
  return line;
}

/** What an application sends: questions and answers, of which some break the rule of the config. */
async function sendTraces(url) {
  const attribute = (key, stringValue) => ({ key, value: { stringValue } });
  const messages = (role, content) => JSON.stringify([{ role, parts: [{ type: 'text', content }] }]);
  const spans = Array.from({ length: 12 }, (_, index) => ({
    traceId: (index + 1).toString(16).padStart(32, '0'),
    spanId: '1'.padStart(16, '0'),
    name: 'chat gpt-4o-mini',
    startTimeUnixNano: `${Date.now() - index * 60_000}000000`,
    endTimeUnixNano: `${Date.now() - index * 60_000 + 700}000000`,
    attributes: [
      attribute('gen_ai.operation.name', 'chat'),
      attribute('gen_ai.input.messages', messages('user', `Where is order ${1_040 + index}?`)),
      attribute('gen_ai.output.messages', messages('assistant', `On its way to ${index % 4 === 1 ? 'Rome' : 'Oslo'}.`)),
    ],
  }));
  const resource = { attributes: [attribute('service.name', 'order-desk')] };
  const sent = await fetch(new URL('/v1/traces', url), {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${collectToken}` },
    body: JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ scope: { name: 'demo' }, spans }] }] }),
  });
  if (!sent.ok) throw new Error(`The traces were refused: ${await sent.text()}`);
}

async function takePictures(url) {
  mkdirSync(folder, { recursive: true });
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  try {
    for (const [look, options] of Object.entries(looks)) {
      const context = await browser.newContext({ ...options, reducedMotion: 'reduce' });
      const page = await context.newPage();
      await page.goto(url);
      await label(page, url);
      for (const [name, path] of Object.entries(await pagesOf(page, url))) {
        await page.goto(new URL(path, url).href);
        await page.locator('main h1').first().waitFor();
        await page.locator('[role="status"][aria-label="Loading"]').first().waitFor({ state: 'detached' });
        await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
        await page.evaluate(drawn);
        await page.screenshot({ path: join(folder, `${name}-${look}.png`) });
      }
      await context.close();
    }
  } finally {
    await browser.close();
  }
}

/** Labels all judged trials but one, so that there is something to do and something to see. */
async function label(page, url) {
  const address = (path) => new URL(`/api${path}`, url).href;
  const { items, labelled } = await (await page.request.get(address('/review'))).json();
  if (labelled > 0) return;
  for (const [index, { trialId }] of items.slice(1).entries()) {
    const data = { trialId, label: index === 0 ? 'fail' : 'pass' };
    await page.request.put(address('/labels'), { data });
  }
}

/** The address of each page, with the newest things of the store where a page is about one. */
async function pagesOf(page, url) {
  const get = async (path) => (await page.request.get(new URL(`/api${path}`, url).href)).json();
  const { items: runs } = await get('/runs');
  const [run, before, variants, agentRun] = runs.filter(({ origin }) => origin === 'run');
  const trialOf = async ({ runId }, query) => (await get(`/runs/${runId}/trials?limit=1&${query}`)).items[0]?.trialId;
  return {
    dashboard: '/',
    runs: '/runs',
    run: `/runs/${run.runId}`,
    'trial-judged': `/trials/${await trialOf(run, 'text=Capital')}`,
    'trial-agent': `/trials/${await trialOf(agentRun, '')}`,
    compare: `/compare?a=${before.runId}&b=${run.runId}`,
    'compare-variants': `/compare?a=${variants.runId}&tab=variants`,
    traces: '/traces',
    scenarios: '/scenarios',
    'scenario-new': '/scenarios/edit',
    'scenario-editor': '/scenarios/edit?file=judged%2Fcapital.yaml',
    'scenario-stats': '/scenarios/edit?file=judged%2Fcapital.yaml&view=stats',
    'scenario-code': '/scenarios/edit?file=judged%2Fcapital.yaml&view=code',
    personas: '/personas?name=impatient',
    connectors: '/connectors?name=booking',
    rubrics: '/rubrics',
    'rubric-editor': '/rubrics/edit?file=rubrics%2Fanswers.yaml',
    settings: '/settings',
    review: '/review',
    agreement: '/review?tab=agreement',
    mcp: '/mcp',
    workers: '/workers',
  };
}
