import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { assayInProcess } from '../../src/testing/support/assay-in-process.ts';
import { browserProject } from '../../src/testing/support/browser-project.ts';
import { processesWith } from '../../src/testing/support/processes.ts';
import { chromiumPath } from '../../src/testing/support/web-session.ts';

const mark = `LC_BROWSERS=short-${process.pid}`;
const [markName = '', markValue = ''] = mark.split('=');

async function run(folder: string, env: Readonly<Record<string, string>> = {}) {
  const given = { [markName]: markValue, ...env };
  const { stdout, stderr } = await assayInProcess(['run', '--json', '--no-cache'], { cwd: folder, env: given });
  expect(stdout, stderr).not.toBe('');
  const [trial] = JSON.parse(stdout).trials;
  return trial;
}

describe.skipIf(chromiumPath === '')('an agent with a browser (left out where there is no Chromium)', () => {
  it('uses the page, and the page that it left is read', async () => {
    const steps = [
      'call read {}',
      'call click {"element":1}',
      'call dialog {"accept":true}',
      'call navigate {"url":"file:///etc/passwd"}',
      'call navigate {"url":"http://127.0.0.1:4567/"}',
      'call back {}',
      'call type {"element":2,"text":"W1","submit":true}',
      'call screenshot {}',
    ];
    const wanted = [
      [{ selector: '#order', text: { contains: 'cancelled' } }, 'pass'],
      [{ selector: '#order', text: { contains: 'open' } }, 'fail'],
      [{ url: { matches: '/found\\?q=W1$' }, title: 'Orders', text: { contains: 'W1: cancelled' } }, 'pass'],
      [{ selector: '.note' }, 'fail'],
      [{ selector: '.note', hidden: true, count: 1 }, 'pass'],
      [{ selector: '.missing', count: 0 }, 'pass'],
      [{ cookies: { visitor: '7', other: null }, localStorage: { seen: 'yes', other: null } }, 'pass'],
      [{ cookies: { visitor: null } }, 'fail'],
      [{ open: '/elsewhere', url: { contains: '/elsewhere' } }, 'pass'],
    ] as const;
    const folder = await browserProject({ steps, pages: wanted.map(([config]) => config) });
    const trial = await run(folder);
    expect(trial.evaluatorResults.map(({ state }: { state: string }) => state)).toEqual(
      wanted.map(([, state]) => state),
    );
    const files = await readdir(join(folder, '.assay/artifacts', trial.artifacts));
    expect(files.filter((name) => /^screenshot-\d+\.jpg$/.test(name)).length).toBeGreaterThan(1);
    const shown = await assayInProcess(['show', trial.trialId], { cwd: folder });
    expect(shown.stdout).toContain('Only http and https addresses can be opened.');
    expect(shown.stdout).toContain('A page wanted 127.0.0.1:4567, which is not allowed.');
    expect(shown.stdout).toContain('screenshot');
    expect(processesWith(mark)).toEqual([]);
  });

  it('is not judged where the site of its pages ended, whatever was wanted', async () => {
    const folder = await browserProject({
      steps: [],
      pages: [{ selector: '#order', count: 0 }],
      agent: "await fetch(process.env.ASSAY_BROWSER_START + 'end').catch(() => undefined);",
      more: { isolation: 'none' },
    });
    expect(await run(folder)).toMatchObject({ outcome: 'error', fault: { code: 'BROWSER_DIED' } });
  });

  it('is an error where there is no browser', async () => {
    const folder = await browserProject({ steps: [], pages: [{ selector: '#order', count: 0 }] });
    const trial = await run(folder, { ASSAY_CHROMIUM: '/nowhere' });
    expect(trial).toMatchObject({ outcome: 'error', fault: { code: 'BROWSER_MISSING' } });
    expect(trial.fault.hint).toContain('apt install chromium');
  });
});
