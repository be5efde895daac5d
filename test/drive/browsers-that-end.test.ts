import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { assay, ended, startAssay } from '../../src/testing/support/assay.ts';
import { browserProject } from '../../src/testing/support/browser-project.ts';
import { processesWith } from '../../src/testing/support/processes.ts';
import { chromiumPath } from '../../src/testing/support/web-session.ts';

const playwright = fileURLToPath(import.meta.resolve('playwright-core'));
const mark = `LC_BROWSERS=ends-${process.pid}`;
const [markName = '', markValue = ''] = mark.split('=');
const env = { [markName]: markValue };

/** An agent that uses the protocol of the browser itself. */
const protocolAgent = `import { chromium } from '${playwright}';
const browser = await chromium.connectOverCDP(process.env.ASSAY_BROWSER_CDP);
const page = browser.contexts()[0].pages()[0];
const [, , act] = process.argv;
if (act === 'work') {
  page.once('dialog', (dialog) => dialog.accept());
  await page.click('button');
  await page.waitForSelector('text=cancelled');
}
if (act === 'files') await page.goto('file://' + process.env.HOME).catch((error) => console.log('refused: ' + error.message));
if (act === 'close') await page.close();
if (act === 'crash') page.goto('chrome://crash').catch(() => undefined), await page.waitForEvent('crash');
if (act === 'quit') await (await browser.newBrowserCDPSession()).send('Browser.close').catch(() => undefined);
process.exit(0);
`;

const cancelled = { selector: '#order', text: { contains: 'cancelled' } };
const nothing = { selector: '.missing', count: 0 };

async function runWith(act: string, pages: readonly object[], more: object = {}) {
  const folder = await browserProject({
    steps: [act],
    pages,
    agent: protocolAgent,
    more: { browser: { site: 'node site.mjs', cdp: true }, isolation: 'none', ...more },
  });
  const { stdout, stderr } = await assay(['run', '--json', '--no-cache'], { cwd: folder, env });
  expect(stdout, stderr).not.toBe('');
  return JSON.parse(stdout).trials[0];
}

afterEach(() => expect.poll(() => processesWith(mark)).toEqual([]));

describe.skipIf(chromiumPath === '')('a browser over its protocol (left out where there is no Chromium)', () => {
  it('is used by an agent, and its page is read', async () => {
    expect(await runWith('work', [cancelled])).toMatchObject({ outcome: 'pass' });
  });

  it.each(['close', 'crash'])('%s: a tab that is gone passes nothing and fails nothing', async (act) => {
    const trial = await runWith(act, [cancelled, nothing]);
    expect(trial.evaluatorResults).toMatchObject([
      { state: 'error', fault: { code: 'NOT_OBSERVED' } },
      { state: 'error', fault: { code: 'NOT_OBSERVED' } },
    ]);
  });

  it('quit: a browser that is gone makes the trial an error', async () => {
    expect(await runWith('quit', [nothing])).toMatchObject({ outcome: 'error', fault: { code: 'BROWSER_DIED' } });
  });

  it('is not offered where the network of the agent is limited', async () => {
    const trial = await runWith('work', [nothing], { isolation: 'auto', network: 'model-only' });
    expect(trial).toMatchObject({ outcome: 'error', fault: { code: 'CONFIG_INVALID' } });
  });
});

describe.skipIf(chromiumPath === '')('a browser of an isolated agent (left out where there is no Chromium)', () => {
  it('is reached over MCP without a network', async () => {
    const folder = await browserProject({
      steps: ['call read {}', 'call click {"element":1}', 'call dialog {"accept":true}'],
      pages: [cancelled],
      more: { network: 'model-only' },
    });
    const { stdout } = await assay(['run', '--json', '--no-cache'], { cwd: folder, env });
    expect(JSON.parse(stdout).trials[0]).toMatchObject({ outcome: 'pass' });
  });

  it('cannot be read while a dialog is open', async () => {
    const steps = ['call read {}', 'call click {"element":1}'];
    const folder = await browserProject({ steps, pages: [nothing, cancelled] });
    const { stdout } = await assay(['run', '--json', '--no-cache'], { cwd: folder, env });
    const states = JSON.parse(stdout).trials[0].evaluatorResults.map(({ state }: { state: string }) => state);
    expect(states).toEqual(['error', 'error']);
  });

  it.each(['SIGINT', 'SIGKILL'] as const)('ends with a run that gets %s', async (signal) => {
    const folder = await browserProject({ steps: ['end never'], pages: [nothing] });
    const child = startAssay(['run', '--no-cache'], { cwd: folder, env });
    const done = signal === 'SIGKILL' ? once(child, 'exit') : ended(child);
    await expect.poll(() => processesWith(mark).length, { timeout: 60_000 }).toBeGreaterThan(8);
    child.kill(signal);
    await done;
    await expect.poll(() => processesWith(mark)).toEqual([]);
  });
});
