import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pagesOf, sidebar, topNavigation } from '../../docs/.vitepress/navigation.ts';
import { findChromium } from '../../scripts/find-chromium.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const site = mkdtempSync(join(tmpdir(), 'assay-docs-'));
const address = 'http://docs.test';
const executablePath = findChromium() ?? '';

describe('the built documentation site', () => {
  beforeAll(() => {
    const program = join(root, 'node_modules', 'vitepress', 'bin', 'vitepress.js');
    const args = [program, 'build', 'docs', '--outDir', site];
    const built = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
    expect(`${built.stdout}${built.stderr}`).toContain('build complete');
    expect(built.status).toBe(0);
  }, 300_000);
  afterAll(() => rmSync(site, { recursive: true, force: true }));

  it('holds every page', () => {
    const pages = readdirSync(site, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.html'))
      .map((name) => `/${name.replaceAll('\\', '/').replace(/\.html$/, '')}`);
    expect(pages).toEqual(expect.arrayContaining(['/index', ...pagesOf(sidebar())]));
  });

  it('shows nothing that is meant for the tests of its samples', () => {
    const leftovers = readdirSync(site, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(html|js)$/.test(name))
      .filter((name) =>
        /&lt;!--|sample: (setup|exit|file|part|syntax|criteria)|\$CHECKOUT/.test(textOf(join(site, name))),
      );
    expect(leftovers).toEqual([]);
  });

  it.skipIf(executablePath === '')(
    'is read and searched without any other host (left out where there is no Chromium)',
    async () => {
      const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
      try {
        const page = await browser.newPage();
        const elsewhere = await serveFromFolder(page);
        const problems: string[] = [];
        page.on('pageerror', (error) => problems.push(error.message));
        // All pages share one layout and one set of scripts, so one page of each section stands for the others.
        for (const link of ['/index', ...topNavigation().map(({ link }) => link)])
          await page.goto(`${address}${link}.html`);
        await page.locator('#local-search button').click();
        await page.locator('.search-input').fill('exit code');
        await page.locator('.results .result').first().waitFor();
        expect({ elsewhere, problems }).toEqual({ elsewhere: [], problems: [] });
      } finally {
        await browser.close();
      }
    },
    120_000,
  );

  it.skipIf(executablePath === '')(
    'copies commands without their prompts and what they print',
    async () => {
      const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
      try {
        const page = await browser.newPage();
        await serveFromFolder(page);
        await page.addInitScript(
          "Object.defineProperty(navigator, 'clipboard', { value: { writeText: async (text) => { window.copied = text; } } })",
        );
        await page.goto(`${address}/tutorial/first-evaluation.html`);
        const copiedFrom = async (words: string): Promise<string> => {
          await page.locator('.language-console', { hasText: words }).locator('button.copy').click({ force: true });
          return page.evaluate<string>('window.copied');
        };
        expect(await copiedFrom('assay init orders')).toBe('assay init orders --kind tool && cd orders\n');
        expect(await copiedFrom('assay show latest')).toBe('assay runs\nassay show latest\n');
      } finally {
        await browser.close();
      }
    },
    120_000,
  );

  it.skipIf(executablePath === '')(
    'fits a phone: what is wider than the page scrolls in its own box',
    async () => {
      const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
      try {
        const page = await browser.newPage({ viewport: { width: 390, height: 844 } });
        await serveFromFolder(page);
        const found: string[] = [];
        for (const link of ['/index', ...widestPages(12)]) {
          await page.goto(`${address}${link}.html`);
          found.push(...(await page.evaluate<string[]>(widerThanThePage)).map((text) => `${link}: ${text}`));
        }
        expect(found).toEqual([]);
      } finally {
        await browser.close();
      }
    },
    120_000,
  );
});

/** Pages with the longest lines of code; the others have nothing that is wider. */
function widestPages(count: number): string[] {
  const longest = (link: string): number => {
    const blocks = readFileSync(join(root, 'docs', `${link}.md`), 'utf8').match(/^```[\s\S]*?^```/gm) ?? [];
    return Math.max(0, ...blocks.flatMap((block) => block.split('\n').map(({ length }) => length)));
  };
  return pagesOf(sidebar())
    .map((link) => ({ link, width: longest(link) }))
    .toSorted((a, b) => b.width - a.width)
    .slice(0, count)
    .map(({ link }) => link);
}

/** Runs in the page: parts that leave it to the right, and the page itself where it scrolls sideways. */
const widerThanThePage = `(() => {
  const { clientWidth, scrollWidth } = document.documentElement;
  const scrolls = (element) =>
    element !== null &&
    (['auto', 'scroll'].includes(getComputedStyle(element).overflowX) || scrolls(element.parentElement));
  const parts = [...document.querySelectorAll('.vp-doc :is(pre, table, code, p, li, h1, h2, h3)')];
  const wide = parts.filter((part) => part.getBoundingClientRect().right > clientWidth + 1 && !scrolls(part));
  const texts = wide.map((part) => part.tagName + ' ' + part.textContent.slice(0, 60));
  return scrollWidth > clientWidth ? ['the page is ' + scrollWidth + ' wide', ...texts] : texts;
})()`;

/** Markup inside of code is colour, not text. */
function textOf(file: string): string {
  return readFileSync(file, 'utf8').replace(/<[^!>][^>]*>/g, '');
}

/** Answers requests from the built files, and collects those to other hosts. */
async function serveFromFolder(page: Page): Promise<string[]> {
  const elsewhere: string[] = [];
  await page.route('**', async (route) => {
    const { origin, pathname } = new URL(route.request().url());
    const path = join(site, decodeURIComponent(pathname));
    if (origin !== address) {
      elsewhere.push(route.request().url());
      await route.abort();
    } else if (existsSync(path)) await route.fulfill({ path });
    else await route.fulfill({ status: 404 });
  });
  return elsewhere;
}
