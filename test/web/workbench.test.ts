import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startProtectedServer } from '../../src/testing/fakes/oauth/protected-server.ts';
import { filesWith } from '../../src/testing/support/mcp-logins.ts';
import { chromiumPath, settled, visit, WebSession } from '../../src/testing/support/web-session.ts';
import { violationsInAllLooks } from '../../src/testing/support/web-violations.ts';

const program = fileURLToPath(new URL('../../src/testing/fakes/mcp/suite-server.mjs', import.meta.url));
const charts = fileURLToPath(new URL('../../src/testing/fakes/mcp/app-server.mjs', import.meta.url));
const keyringHook = new URL('../../src/testing/fakes/oauth/use-keyring-package.mjs', import.meta.url).href;
const file = 'scenarios/server.yaml';
const suite = `# Tests of the server.
server: { transport: stdio, command: node, args: [server.mjs] }
toolHealthSuites:
  - name: Sums
    tests:
      - { name: add, args: { a: 1, b: 2 }, expectedResult: 3 }
`;

describe.skipIf(chromiumPath === '')('the MCP workbench (left out where there is no Chromium)', () => {
  let session: WebSession;
  let keyringFolder: string;
  let page: Page;

  beforeAll(async () => {
    keyringFolder = await mkdtemp(join(tmpdir(), 'assay-keyring-'));
    session = await WebSession.start({
      env: { NODE_OPTIONS: `--import ${keyringHook}`, FAKE_KEYRING_FILE: join(keyringFolder, 'keyring.json') },
      files: {
        'assay.config.yaml': 'scenarios: [scenarios]\n',
        'server.mjs': `await import(${JSON.stringify(program)});\n`,
        'charts.mjs': `await import(${JSON.stringify(charts)});\n`,
        [file]: suite,
      },
    });
    page = await session.newPage();
  });
  afterAll(async () => {
    await session[Symbol.asyncDispose]();
    await rm(keyringFolder, { recursive: true });
  });

  const tab = (name: string): Promise<void> => page.getByRole('tab', { name: new RegExp(`^${name}`) }).click();
  const choose = (name: string): Promise<void> =>
    page
      .getByRole('region', { name: /^List of/ })
      .getByRole('button', { name, exact: false })
      .first()
      .click();
  /** The card of the newest call about something. */
  const callOf = (subject: string): Locator =>
    page.getByRole('region', { name: new RegExp(`^${subject} (?:result|tool error|error|waiting|cancelled)`) }).first();

  /** Runs the file of a test that was just added, and returns how the run ended. */
  const runOfAdded = async (): Promise<string | null> => {
    await page.getByRole('dialog').getByRole('button', { name: 'Run the file' }).click();
    await page.waitForURL(/\/runs\/[^/]+$/);
    const head = page.locator('main h1');
    await head.getByText(/^(?:pass|fail|error)$/).waitFor();
    return head.textContent();
  };

  it('connects to a server that a file names, and shows its tools', async () => {
    await visit(page, session.address('/mcp'));
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await page.waitForURL(/\/mcp\/sessions\//);
    await page.getByText('connected').waitFor();
    await page.getByText('suite-server 1.2.3').waitFor();
    await choose('add');
    await page.getByRole('textbox', { name: /^a\b/ }).fill('2');
    await page.getByRole('textbox', { name: /^b\b/ }).fill('40');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await callOf('add').getByText('42', { exact: true }).waitFor();
    expect(await violationsInAllLooks(page)).toEqual([]);
  });

  it('shows the frames of the call', async () => {
    await tab('Frames');
    const frames = page.getByRole('list', { name: 'Frames' });
    await frames.getByText('result of tools/call').first().click();
    await expect.poll(() => frames.textContent()).toContain('"text": "42"');
    await page.getByLabel('Search frames').fill('initialize');
    await frames.getByText('result of tools/call').first().waitFor({ state: 'detached' });
    await expect.poll(() => frames.textContent()).toContain('initialize');
  });

  it('answers questions of the server by hand', async () => {
    await tab('Tools');
    await choose('ask-user');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    const question = page.getByRole('alert').filter({ hasText: 'What is your name?' });
    expect(await violationsInAllLooks(page)).toEqual([]);
    await question.getByLabel('Name').fill('Ann');
    await question.getByRole('button', { name: 'Accept' }).click();
    await callOf('ask-user').getByText('Hello Ann', { exact: true }).waitFor();
    await choose('ask-model');
    await page.getByLabel('Question').fill('Why?');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    const asked = page.getByRole('alert').filter({ hasText: 'The server asks the model' });
    await asked.getByLabel('What the model says').fill('Because.');
    await asked.getByRole('button', { name: 'Answer', exact: true }).click();
    await callOf('ask-model').getByText('The model says: Because.', { exact: true }).waitFor();
  });

  it('reads resources and gets prompts', async () => {
    await tab('Resources');
    await page.getByRole('button', { name: 'Read', exact: true }).click();
    await callOf('note://a').getByText('# Hello World', { exact: true }).waitFor();
    await tab('Prompts');
    await page.getByRole('textbox', { name: /^name/ }).fill('Ann');
    await page.getByRole('button', { name: 'Get', exact: true }).click();
    await callOf('greet').getByText('Say hello to Ann', { exact: true }).waitFor();
  });

  it('makes a call into a test, and runs it', async () => {
    await tab('Calls');
    await callOf('add').getByRole('button', { name: 'Add to suite …' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name of the test').fill('the answer');
    await dialog.getByRole('button', { name: 'Add the test' }).click();
    await dialog.getByText('Added to suite').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await callOf('ask-user').getByRole('button', { name: 'Add to suite …' }).click();
    await dialog.getByRole('button', { name: 'Add the test' }).click();
    await dialog.getByText('Added to suite').waitFor();
    const written = await readFile(join(session.folder, file), 'utf8');
    expect(written).toMatch(/description: the answer[\s\S]*expectedResult: 42[\s\S]*elicitationSuites:/);
    expect(await runOfAdded()).toContain('pass');
  });

  it('shows how definitions changed since the last run', async () => {
    await visit(page, session.address('/mcp'));
    await page.getByRole('region', { name: 'Open sessions' }).getByRole('link').click();
    await choose('change');
    await page.getByLabel('Arguments as JSON').click();
    await page.getByRole('textbox', { name: 'Arguments as JSON' }).fill('{"tool": "add"}');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await callOf('change').getByText('changed', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'List again' }).click();
    await tab('History');
    const history = page.getByRole('list', { name: 'Definition history' });
    await history.getByText('+  "description": "Something else"', { exact: false }).waitFor();
    await expect.poll(() => history.textContent()).toContain('This session: 1 tool of 17 changedaddchangeddescription');
    expect(await violationsInAllLooks(page)).toEqual([]);
  });

  it('shows the app of a tool in a frame that reaches nothing', async () => {
    await visit(page, session.address('/mcp'));
    await page.getByRole('button', { name: 'Connect to …' }).click();
    await page.getByLabel('Command line or URL').fill('node charts.mjs');
    await page.getByLabel('Command line or URL').press('Enter');
    await page.getByText('connected').waitFor();
    await page.getByRole('textbox', { name: /^title/ }).fill('Sales');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await page.getByRole('button', { name: 'Show the app' }).click();
    const app = page.frameLocator('iframe');
    await app.getByText('input: {"title":"Sales"}').waitFor();
    await app.getByText('result: chart: Sales').waitFor();
    await app.getByText('sum: chart: by the app').waitFor();
    await app.getByText('hidden: The tool "secret" is not visible to apps.').waitFor();
    await app.getByText('outside: blocked blocked blocked blocked').waitFor();
    const notes = page.getByRole('list', { name: 'Messages of the app' });
    await notes.getByText('Blocked by the policy: connect-src https://undeclared.example').waitFor();
    const card = page.getByRole('region', { name: /^App/ });
    const text = (await card.textContent()) ?? '';
    expect(text).toContain('https://api.example.com');
    expect(text).toContain('which is not an origin; it is not allowed.');
    expect(text).toContain('Permissions wanted, not grantedcamera');
    expect(await violationsInAllLooks(page)).toEqual([]);
    await choose('broken');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await page.getByRole('button', { name: 'Show the app' }).click();
    await page.getByText('its type is "text/plain", not text/html;profile=mcp-app', { exact: false }).waitFor();
    await page.getByRole('button', { name: 'Disconnect' }).click();
    await page.waitForURL('**/mcp');
  });

  it.each([
    ['legacy', 'ping'],
    ['modern', 'server/discover'],
  ] as const)(
    'connects to a %s server, logs in, calls, sees the frames, saves the call as a test and runs it, without showing a token',
    async (era, simplest) => {
      const server = await startProtectedServer({ denies: true }, { era });
      await visit(page, session.address('/mcp'));
      await page.getByRole('button', { name: 'Connect to …' }).click();
      await page.getByLabel('Command line or URL').fill(server.url);
      await page.getByLabel('Command line or URL').press('Enter');
      const logIn = async (): Promise<void> => {
        await page.getByRole('button', { name: 'Log in', exact: true }).click();
        const opened = page.context().waitForEvent('page');
        await page.getByRole('link', { name: 'Open the login page' }).click();
        const loginPage = await opened;
        await loginPage.getByText('Assay has the answer.', { exact: false }).waitFor();
        await loginPage.close();
      };
      await logIn();
      await page.getByText('the login was refused (access_denied: the user refused)', { exact: false }).waitFor();
      await page.getByText('it is not known what the server offers', { exact: false }).waitFor();
      expect(await page.getByRole('tab', { name: /^Tools/ }).textContent()).toBe('Tools');
      server.switches.denies = false;
      await logIn();
      await page.getByText('connected').waitFor();
      await page.getByText(`Logged in at ${server.issuer}`, { exact: false }).waitFor();
      await choose('read');
      await page.getByRole('button', { name: 'Call', exact: true }).click();
      await callOf('read').waitFor();
      expect(server.authorizationHeaders.at(-1)).toMatch(/^Bearer /);
      await tab('Frames');
      await page.getByRole('list', { name: 'Frames' }).getByText('tools/call').first().click();
      const html = await page.content();
      expect(server.authorization.secrets.size).toBeGreaterThan(2);
      for (const secret of server.authorization.secrets) expect(html).not.toContain(secret);
      await tab('Calls');
      expect(await page.getByLabel('Method').inputValue()).toBe(simplest);
      await page.getByRole('button', { name: 'Send', exact: true }).click();
      await callOf(simplest).getByText('result', { exact: true }).first().waitFor();
      const sessionPage = page.url();
      await callOf('read').getByRole('button', { name: 'Add to suite …' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', { name: 'Add the test' }).click();
      await expect.poll(() => dialog.textContent()).toContain('Added to suite');
      const before = server.methods.length;
      expect(await runOfAdded()).toContain('pass');
      expect(server.methods.slice(before)).toContain('tools/call');
      expect(await filesWith(session.folder, server.authorization.secrets)).toEqual([]);
      await visit(page, sessionPage);
      await page.getByRole('button', { name: 'Disconnect' }).click();
      await page.waitForURL('**/mcp');
    },
  );

  it('comes back to the open session, and ends it', async () => {
    await visit(page, session.address('/mcp'));
    await page.getByRole('region', { name: 'Open sessions' }).getByRole('link').click();
    await page.getByRole('button', { name: 'Disconnect' }).click();
    await page.waitForURL('**/mcp');
    await settled(page);
    await page.getByRole('region', { name: 'Open sessions' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Connect to …' }).click();
    await page.getByLabel('Command line or URL').fill('node server.mjs dead');
    await page.getByLabel('Command line or URL').press('Enter');
    await page
      .getByRole('alert')
      .getByText(/server.mjs dead/)
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Connect again' }).waitFor();
  });
});
