import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ScriptedModel, startScriptedModel } from '../../src/drive/models/scripted/index.ts';
import { attribute, collectToken, exportOf, idOf } from '../../src/testing/support/collecting.ts';
import { CountedClicks } from '../../src/testing/support/counted-clicks.ts';
import { experimentFiles, HeldAgents } from '../../src/testing/support/held-agents.ts';
import { chromiumPath, settled, visit, WebSession } from '../../src/testing/support/web-session.ts';
import { violationsInAllLooks } from '../../src/testing/support/web-violations.ts';

const mcpServer = fileURLToPath(new URL('../../src/testing/fakes/mcp/suite-server.mjs', import.meta.url));
const tool = (town: string): string =>
  `export const find = ({ order }) => \`Order \${order} is on its way to ${town}\`;\n`;
const towns = `name: Towns
call: { module: ./tool.mjs, export: find }
cases:
  - { name: first, input: { order: 1 } }
  - { name: second, input: { order: 2 } }
passCriteria:
  - result.includes('Oslo')
`;
const judged = `name: Kind
call: { module: ./tool.mjs, export: find }
cases:
  - { name: first, input: { order: 3 } }
  - { name: second, input: { order: 4 } }
judge: { model: openai/gpt-4o-mini, successCriteria: [The answer names a town] }
`;
const suite = `server: { transport: stdio, command: node, args: [server.mjs] }
toolHealthSuites:
  - name: Sums
    tests:
      - { name: add, args: { a: 1, b: 2 }, expectedResult: 3 }
`;
const verdict = {
  criteria: [
    { id: 'success-1', reasoning: 'It does.', evidence: [{ event: 'e2', quote: 'on its way' }], answer: 'met' },
  ],
  confidence: 0.9,
};

/** A project with something for each task. */
async function projectFiles(agentsUrl: string): Promise<Record<string, string>> {
  const files = await experimentFiles(agentsUrl);
  const config = JSON.parse(files['assay.config.json'] ?? '{}') as { connectors: Record<string, unknown> };
  return {
    ...files,
    'assay.config.json': JSON.stringify({
      connectors: config.connectors,
      scenarios: ['orders.yaml', 'towns.yaml', 'kind.yaml', 'server.yaml'],
      collect: { quietSecs: 0.01, idleSecs: 0.01 },
      rules: { arrives: { evaluators: [{ type: 'contains', config: { text: 'Oslo' } }] } },
    }),
    'tool.mjs': tool('Oslo'),
    'towns.yaml': towns,
    'kind.yaml': judged,
    'server.mjs': `await import(${JSON.stringify(mcpServer)});\n`,
    'server.yaml': suite,
  };
}

/** What an application sends: a question and its answer. */
function chatSpan(trace: number, question: string, answer: string) {
  const messages = (role: string, content: string): string =>
    JSON.stringify([{ role, parts: [{ type: 'text', content }] }]);
  const at = 1_763_300_000_000 + trace;
  return {
    traceId: idOf(trace, 32),
    spanId: idOf(1, 16),
    name: 'chat gpt',
    startTimeUnixNano: `${at}000000`,
    endTimeUnixNano: `${at + 20}000000`,
    attributes: [
      attribute('gen_ai.operation.name', 'chat'),
      attribute('gen_ai.input.messages', messages('user', question)),
      attribute('gen_ai.output.messages', messages('assistant', answer)),
    ],
  };
}

describe.skipIf(chromiumPath === '')('the seven tasks, from the first page to their end', () => {
  let model: ScriptedModel;
  let agents: HeldAgents;
  let session: WebSession;
  let page: Page;
  const clicks = new CountedClicks();

  beforeAll(async () => {
    model = await startScriptedModel({ rules: [{ reply: { json: verdict } }] });
    agents = await HeldAgents.start();
    agents.release();
    session = await WebSession.start({
      files: await projectFiles(agents.url),
      env: { OPENAI_API_KEY: 'scripted', ASSAY_COLLECT_TOKEN: collectToken, ...model.environment },
    });
    page = await session.newPage();
    await runFile('kind.yaml');
    await runFile('towns.yaml');
    await writeFile(join(session.folder, 'tool.mjs'), tool('Rome'));
    await runFile('towns.yaml');
  });
  afterAll(async () => {
    await session[Symbol.asyncDispose]();
    await agents[Symbol.asyncDispose]();
    await model[Symbol.asyncDispose]();
  });

  const main = (): Locator => page.locator('main');
  const dialog = (): Locator => page.getByRole('dialog');
  const button = (name: string | RegExp): Locator => main().getByRole('button', { name });
  const chosen = (): Locator => page.getByRole('complementary', { name: 'Chosen case' });
  const goTo = (name: string): Promise<void> =>
    clicks.click(page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name, exact: true }));

  /** What was there before the tasks. */
  async function runFile(path: string): Promise<void> {
    await visit(page, session.address(`/scenarios/edit?file=${path}`));
    await button('Run …').click();
    await dialog().getByRole('button', { name: /run$/i }).and(page.locator(':enabled')).click();
    await page.waitForURL(/\/runs\/[^/]+$/);
    await main()
      .locator('h1')
      .getByText(/^(?:pass|fail)$/)
      .waitFor();
  }

  async function task(name: string, most: number, act: () => Promise<void>): Promise<void> {
    await visit(page, session.address('/'));
    await clicks.task(name, most, act);
    await settled(page);
    expect(await violationsInAllLooks(page)).toEqual([]);
  }

  it('1: why did the newest run fail?', async () => {
    await task('why did the newest run fail', 2, async () => {
      await clicks.click(main().getByRole('link', { name: 'Open', exact: true }).first());
      await chosen().getByText('is on its way to Rome').first().waitFor();
      await clicks.click(chosen().getByRole('link', { name: 'Open trace' }));
      await page.locator('[data-event]').first().waitFor();
    });
  });

  it('2: is it better than before? Both answers, and a link for others', async () => {
    await task('is it better than before', 4, async () => {
      await clicks.click(main().getByRole('link', { name: 'Open', exact: true }).first());
      await clicks.click(main().getByRole('link', { name: 'Compare', exact: true }));
      await page.getByRole('region', { name: 'Answer of B' }).locator('mark').getByText('Rome').waitFor();
      await clicks.click(button('Share'));
      await clicks.click(dialog().getByRole('button', { name: 'Copy link' }));
      await dialog().getByLabel('Link', { exact: true }).waitFor();
    });
    await page.keyboard.press('Escape');
  });

  it('3: mend the scenario and run what failed', async () => {
    await task('mend and run what failed', 6, async () => {
      await clicks.click(main().getByRole('link', { name: 'Open', exact: true }).first());
      await clicks.click(chosen().getByRole('link', { name: 'towns.yaml' }).first());
      const wrong = main().locator('.cm-content').getByText("result.includes('Oslo')");
      await clicks.click(wrong);
      await page.keyboard.press('End');
      for (const _ of "Oslo')") await page.keyboard.press('Backspace');
      await page.keyboard.type("Rome')");
      await page.keyboard.press('Control+s');
      await page.getByText('Saved', { exact: true }).waitFor();
      await clicks.click(button('Run …'));
      await clicks.click(dialog().getByRole('button', { name: /run$/i }).and(page.locator(':enabled')));
      await page.waitForURL(/\/runs\/[^/]+$/);
      await main().locator('h1').getByText('pass', { exact: true }).waitFor();
    });
  });

  it('4: from a call of an MCP tool to a test that runs', async () => {
    await task('from an MCP call to a test that ran', 8, async () => {
      await goTo('MCP');
      await clicks.click(page.getByRole('button', { name: 'Connect', exact: true }));
      await page.getByText('connected').waitFor();
      await clicks.click(
        page
          .getByRole('region', { name: /^List of/ })
          .getByRole('button', { name: 'add' })
          .first(),
      );
      await page.getByRole('textbox', { name: /^a\b/ }).fill('2');
      await page.getByRole('textbox', { name: /^b\b/ }).fill('40');
      await clicks.click(page.getByRole('button', { name: 'Call', exact: true }));
      const call = page.getByRole('region', { name: /^add result/ }).first();
      await clicks.click(call.getByRole('button', { name: 'Add to suite …' }));
      await clicks.click(dialog().getByRole('button', { name: 'Add the test' }));
      await clicks.click(dialog().getByRole('button', { name: 'Run the file' }));
      await page.waitForURL(/\/runs\/[^/]+$/);
      await main().locator('h1').getByText('pass', { exact: true }).waitFor();
    });
    expect(await readFile(join(session.folder, 'server.yaml'), 'utf8')).toContain('expectedResult: 42');
  });

  it('5: an experiment, from its plan to its decision', async () => {
    await task('start an experiment and follow it', 4, async () => {
      await goTo('Runs');
      await clicks.click(button('New experiment'));
      clicks.count();
      await dialog().getByLabel('Compare by').selectOption('connector');
      await dialog().getByLabel('Variants').fill('before, after');
      await clicks.click(dialog().getByRole('button', { name: 'Start' }));
      await page.waitForURL(/\/runs\/[^/]+$/);
      await main().locator('h1').getByText('decided', { exact: true }).waitFor();
    });
  });

  it('6: a trace of an application that broke a rule becomes a case', async () => {
    const send = (body: unknown): Promise<Response> =>
      fetch(session.address('/v1/traces'), {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${collectToken}` },
        body: JSON.stringify(body),
      });
    const spans = [
      chatSpan(1, 'Where is order 8?', 'On its way to Oslo.'),
      chatSpan(2, 'Where is order 9?', 'On its way to Rome.'),
    ];
    expect((await send(exportOf(spans))).status).toBe(200);
    await task('from a collected trace to a case', 5, async () => {
      await goTo('Traces');
      const traces = page.getByRole('table', { name: 'Traces' });
      const bad = traces.getByRole('row').filter({ hasText: 'Where is order 9?' });
      await bad.getByRole('link', { name: /fail.*arrives/ }).waitFor();
      await traces
        .getByRole('row')
        .filter({ hasText: 'order 8' })
        .getByRole('link', { name: /pass.*arrives/ })
        .waitFor();
      await clicks.click(bad.getByRole('link', { name: /fail.*arrives/ }));
      await main().getByText('Oslo').first().waitFor();
      await clicks.click(button(/^Promote to case/));
      await dialog().getByLabel('Connector').fill('after');
      await clicks.click(dialog().getByRole('button', { name: 'Write and open' }));
      await page.waitForURL(/\/scenarios\/edit\?file=/);
    });
    const file = new URL(page.url()).searchParams.get('file') ?? '';
    const written = await readFile(join(session.folder, file), 'utf8');
    expect(written).toContain('Where is order 9?');
    expect(written).toMatch(/type: contains[\s\S]*text: Oslo/);
  });

  it('7: label what a judge decided, and keep how far it agrees', async () => {
    await task('label and calibrate', 6, async () => {
      await goTo('Review');
      await page.getByText('0 of 2 labelled').waitFor();
      await clicks.click(button(/^Pass/));
      await page.getByText('1 of 2 labelled').waitFor();
      await clicks.click(button(/^Fail/));
      await page.getByText('2 of 2 labelled').waitFor();
      await clicks.click(page.getByRole('tab', { name: 'Agreement' }));
      await page.getByText('2 labels compared').waitFor();
      await clicks.click(button('Keep these figures'));
      await button('These figures are kept').waitFor();
    });
    expect(await readFile(join(session.folder, 'assay.calibration.json'), 'utf8')).toContain('gpt-4o-mini');
  });
});
