import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fillStore, pages, projectFiles } from '../../src/testing/support/web-project.ts';
import { chromiumPath, visit, WebSession } from '../../src/testing/support/web-session.ts';

/** All that a page could be made to run by, in one text. */
const hostile = [
  '</script><script>window.hacked=1</script>',
  '<img src=x onerror="window.hacked=1">',
  '"><svg onload=window.hacked=1>',
  '<a href="javascript:window.hacked=1">here</a>',
  'javascript:window.hacked=1',
  '[here](javascript:window.hacked=1)',
  '<style>*{display:none}</style>',
  '{{constructor.constructor("window.hacked=1")()}}',
  '${window.hacked=1}',
  '\u001B[31m\u001B]8;;javascript:window.hacked=1\u0007here\u001B]8;;\u0007',
  '\u202E\u2066\u200B\u0007\u2028',
].join(' ');

interface Marks {
  readonly hacked: unknown;
  readonly violations: readonly string[];
  readonly isShown: boolean;
  readonly badLinks: readonly string[];
  /** Texts and labels that hide characters: those that turn the direction of writing around or have no width. */
  readonly hiding: readonly string[];
}

const look = `(() => {
  const names = ['href', 'src', 'action', 'formaction'];
  const elements = [...document.querySelectorAll(names.map((name) => '[' + name + ']').join())];
  const addresses = elements.flatMap((element) => names.map((name) => element.getAttribute(name) ?? '#'));
  // A field to edit has the text itself, and the editor draws such characters as red dots.
  const isShown = (element) => element.closest('textarea, .cm-editor, script') === null;
  const hides = (text) => /[\\u200B\\u202E\\u2066]/.test(text);
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const hiding = hides(document.title) ? [document.title] : [];
  for (let node = walker.nextNode(); node; node = walker.nextNode())
    if (hides(node.data) && isShown(node.parentElement)) hiding.push(node.parentElement.outerHTML.slice(0, 300));
  for (const element of document.querySelectorAll('[title], [aria-label], [alt]'))
    for (const name of ['title', 'aria-label', 'alt'])
      if (hides(element.getAttribute(name) ?? '') && isShown(element)) hiding.push(element.outerHTML.slice(0, 300));
  return {
    hiding,
    hacked: window.hacked ?? null,
    violations: window.violations,
    isShown: document.querySelector('main h1').offsetHeight > 0,
    badLinks: addresses.filter((address) => !/^(?:https?:|data:image\\/|#|\\/)/.test(address)),
  };
})()`;

/** What a page has done that it must not, or shows nothing of. */
function marksOf(page: Page): Promise<Marks> {
  return page.evaluate<Marks>(look);
}

describe.skipIf(chromiumPath === '')('texts of models, tools and files (left out where there is no Chromium)', () => {
  let session: WebSession;
  let page: Page;

  beforeAll(async () => {
    session = await WebSession.start({ files: projectFiles(hostile), fill: (store) => fillStore(store, hostile) });
    page = await session.newPage();
    await page.addInitScript(`
      window.violations = [];
      document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) => {
        window.violations.push(effectiveDirective + ' ' + blockedURI);
      });
    `);
  });
  afterAll(() => session[Symbol.asyncDispose]());

  it.each(Object.entries(pages))('run nothing and hide nothing on: %s', async (_, path) => {
    await visit(page, session.address(path));
    expect(await marksOf(page)).toEqual({ hacked: null, violations: [], isShown: true, badLinks: [], hiding: [] });
  });

  it('are shown as they are, and run nothing when all of the trace is opened', async () => {
    await visit(page, session.address(pages.Trial ?? ''));
    expect(await page.locator('main').textContent()).toContain('<img src=x onerror="window.hacked=1">');
    expect(await page.locator('main h1').textContent()).toContain('⟨U+202E⟩⟨U+2066⟩⟨U+200B⟩');
    await page.getByRole('button', { name: 'Open all' }).click();
    await page.getByRole('article').nth(5).waitFor();
    expect(await marksOf(page)).toMatchObject({ hacked: null, violations: [], badLinks: [], hiding: [] });
  });

  it('run nothing when they stand in the address', async () => {
    for (const path of ['/runs?text=', '/trials/', '/runs/', '/scenarios/edit?file=', '/mcp?text=', '/compare?a=']) {
      await visit(page, session.address(`${path}${encodeURIComponent(hostile)}`));
      expect(await marksOf(page), path).toMatchObject({ hacked: null, violations: [], badLinks: [], hiding: [] });
    }
  });
});
