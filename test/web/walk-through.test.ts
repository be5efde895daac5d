import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ScriptedModel, startScriptedModel } from '../../src/drive/models/scripted/index.ts';
import { chromiumPath, settled, visit, WebSession } from '../../src/testing/support/web-session.ts';

const tool = 'export const answer = ({ city, land }) => ({ text: `${city} is the capital of ${land}.` });\n';
const capitals = { Paris: 'France', Rome: 'Italy', Madrid: 'Spain', Berlin: 'Germany', Graz: 'Austria' };
const judged = `name: Capitals
call: { module: ./tool.mjs, export: answer }
cases:
${Object.entries(capitals)
  .map(([city, land]) => `  - { name: ${land}, input: { city: ${city}, land: ${land} } }`)
  .join('\n')}
judge: { model: openai/gpt-4o-mini, successCriteria: [The answer names the right city] }
`;

/** What the judge says: all are right but one. */
function judgeReply(answer: 'met' | 'not-met', quote: string) {
  const evidence = [{ event: 'e2', quote }];
  return { json: { criteria: [{ id: 'success-1', reasoning: 'It says so.', evidence, answer }], confidence: 0.9 } };
}
const rules = [
  { when: { last: 'Graz' }, reply: judgeReply('not-met', 'Graz is the capital of Austria.') },
  { reply: judgeReply('met', 'is the capital of') },
];

describe.skipIf(chromiumPath === '')('a walk through the pages (left out where there is no Chromium)', () => {
  let model: ScriptedModel;
  let session: WebSession;
  let page: Page;

  beforeAll(async () => {
    model = await startScriptedModel({ rules });
    session = await WebSession.start({
      files: { 'tool.mjs': tool, 'scenarios/capitals.yaml': judged.replace('./tool', '../tool') },
      env: { OPENAI_API_KEY: 'scripted', ...model.environment },
    });
    page = await session.newPage();
  });
  afterAll(async () => {
    await session[Symbol.asyncDispose]();
    await model[Symbol.asyncDispose]();
  });

  const scenarioFile = (): string => join(session.folder, 'scenarios', 'echo.yaml');

  /** Adds an evaluator from the menu, found by its name. */
  async function addEvaluator(name: string): Promise<void> {
    await page.getByRole('button', { name: 'Add evaluator' }).click();
    await page.getByLabel('Search what can be added').fill(name);
    await page.locator('[data-choice]', { hasText: name }).first().waitFor();
    await page.getByLabel('Search what can be added').press('Enter');
    await page.getByRole('listitem', { name, exact: true }).waitFor();
  }

  /** Runs the file that is in the editor, and waits on the page of the run for its end. */
  async function runToItsEnd(): Promise<string> {
    await page.getByRole('button', { name: 'Run …' }).click();
    await page.getByRole('dialog').getByRole('button', { name: /run$/i }).click();
    await page.waitForURL(/\/runs\/[^/]+$/);
    await page.getByRole('table', { name: 'Cases' }).getByRole('link').first().waitFor();
    await page
      .locator('main h1')
      .getByText(/^(?:pass|fail)$/)
      .waitFor();
    return new URL(page.url()).pathname.split('/').at(-1) ?? '';
  }

  const runs: string[] = [];

  it('makes a scenario with an assertion and a metric from the forms', async () => {
    await visit(page, session.address('/scenarios/edit'));
    await page.getByLabel('Name').fill('Echo');
    await page.getByRole('button', { name: 'Open in the editor' }).click();
    await page.getByRole('button', { name: 'Add evaluator' }).waitFor();
    await addEvaluator('Contains');
    const settings = page.getByRole('listitem', { name: 'Contains', exact: true });
    await settings.getByRole('textbox').first().fill('goodbye');
    await addEvaluator('Response Length');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    const written = await readFile(scenarioFile(), 'utf8');
    expect(written).toMatch(/type: contains[\s\S]*goodbye/);
    expect(written).toContain('type: response-length');
  });

  it('runs it live, and opens the trial that failed', async () => {
    runs.push(await runToItsEnd());
    const happened = page.getByRole('region', { name: 'What happened' });
    await happened.getByText('goodbye').first().waitFor();
    await page.getByRole('link', { name: 'Open trace' }).click();
    await page.waitForURL(/\/trials\//);
    await settled(page);
    await happened.getByText('goodbye').first().waitFor();
    const results = page.getByRole('tabpanel', { name: 'Results' });
    expect(await results.textContent()).toContain('Metrics');
    expect(await page.getByText(/goodbye/).count()).toBeLessThanOrEqual(2);
  });

  it('says where the text is wrong, and takes it when it is right', async () => {
    await visit(page, session.address('/scenarios/edit?file=scenarios%2Fecho.yaml'));
    const editor = page.locator('.cm-content');
    const good = (await readFile(scenarioFile(), 'utf8')).replace('goodbye', 'hello');
    await editor.fill(good.replace('cases:', 'casez:'));
    await page.getByText(/casez/).nth(1).waitFor();
    await page.getByText('it cannot run yet').waitFor();
    await editor.fill(`${good}  - [unclosed\n`);
    await page.getByText('The text cannot be read yet', { exact: false }).waitFor();
    await editor.fill(good);
    await page.getByText('Runs 1 scenario, 1 case, 1 trial').waitFor();
    runs.push(await runToItsEnd());
    expect(await readFile(scenarioFile(), 'utf8')).toBe(good);
  });

  it('compares the two runs', async () => {
    const [before = '', after = ''] = runs;
    await visit(page, session.address('/runs'));
    for (const runId of [before, after]) await page.getByLabel(`Compare ${runId}`).check();
    await page.getByRole('link', { name: 'Compare', exact: true }).last().click();
    await page.waitForURL(/\/compare\?/);
    await settled(page);
    // The scenario was changed between them: that is said first.
    await page.getByRole('button', { name: 'Show the figures anyway' }).click();
    const shown = page.locator('main');
    await shown.getByText('gives back what it gets').first().waitFor();
    expect(await shown.textContent()).toMatch(/fixed|better|improved/i);
  });

  it('follows the evidence of the judge to the event', async () => {
    await visit(page, session.address('/scenarios/edit?file=scenarios%2Fcapitals.yaml'));
    await runToItsEnd();
    await page
      .getByRole('table', { name: 'Cases' })
      .getByRole('link', { name: /Austria/ })
      .first()
      .click();
    await page
      .getByRole('button', { name: /Graz is the capital of Austria/ })
      .first()
      .click();
    await page.waitForURL(/event=e2/);
    const event = page.locator('[data-event="1"], [data-event="0"]').filter({ has: page.locator('mark') });
    await event.first().waitFor();
    expect(await event.first().locator('mark').first().textContent()).toContain('Graz is the capital of Austria.');
  });

  it('labels five trials by keys without showing what the judge said, then shows how far both agree', async () => {
    await visit(page, session.address('/review?rater=ann'));
    await page.getByText('0 of 5 labelled').waitFor();
    expect(await page.locator('main').textContent()).not.toMatch(/It says so|not-met/);
    for (let count = 1; count <= 5; count++) {
      await page.locator('body').press(count === 1 ? 'f' : 'p');
      await page.getByText(`${count} of 5 labelled`).waitFor();
    }
    await page.locator('body').press('u');
    await page.getByText('4 of 5 labelled').waitFor();
    await page.locator('body').press('n');
    await page.getByLabel('Note').fill('looked up');
    await page.getByLabel('Note').press('Escape');
    await page.locator('body').press('p');
    await page.getByRole('link', { name: /see the agreement/ }).click();
    await page.getByText('5 labels compared').waitFor();
    await page.getByRole('button', { name: 'Keep these figures' }).click();
    await page.getByRole('button', { name: 'These figures are kept' }).waitFor();
    const labels = (await readFile(join(session.folder, 'assay.labels.jsonl'), 'utf8')).trimEnd().split('\n');
    expect(labels).toHaveLength(5);
    expect(labels.join()).toContain('"note":"looked up"');
    expect(await readFile(join(session.folder, 'assay.calibration.json'), 'utf8')).toContain('gpt-4o-mini');
  });

  it('does not label when the letter after g names a page', async () => {
    await visit(page, session.address('/review?rater=bob'));
    await page.getByText('0 of 5 labelled').waitFor();
    await page.locator('body').press('g');
    await page.locator('body').press('p');
    await page.waitForURL('**/personas');
    expect(await readFile(join(session.folder, 'assay.labels.jsonl'), 'utf8')).not.toContain('bob');
  });

  it('does not write over a file that was changed on disk meanwhile', async () => {
    await visit(page, session.address('/scenarios/edit?file=scenarios%2Fecho.yaml'));
    const theirs = `${await readFile(scenarioFile(), 'utf8')}# written by somebody else\n`;
    await page.locator('.cm-content').fill('name: mine\ncall: { command: cat }\ncases: [{ name: a, input: {} }]\n');
    await writeFile(scenarioFile(), theirs);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'The file has changed on disk' });
    await dialog.waitFor();
    expect(await readFile(scenarioFile(), 'utf8')).toBe(theirs);
    await dialog.getByRole('button', { name: 'Take the file on disk' }).click();
    await page.locator('.cm-content').getByText('written by somebody else').waitFor();
    expect(await readFile(scenarioFile(), 'utf8')).toBe(theirs);
  });
});
