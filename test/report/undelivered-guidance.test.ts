import { describe, expect, it } from 'vitest';
import { startScriptedModel } from '../../src/drive/models/scripted/index.ts';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { serving } from '../../src/testing/support/serving.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

/**
 * Puts its instruction file into its prompt, unless that says that it is ignored, and the instructions of the project
 * where it says so.
 */
const agent = `
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
const { ASSAY_BASE_URL: url, ASSAY_API_KEY: key, ASSAY_MODEL: model, PROJECT } = process.env;
const guidance = existsSync('AGENTS.md') ? readFileSync('AGENTS.md', 'utf8') : '';
const messages = [{ role: 'user', content: process.argv.at(-1) }];
if (guidance !== '' && !guidance.includes('IGNORED')) messages.unshift({ role: 'system', content: guidance });
if (guidance.includes('FOREIGN')) messages.unshift({ role: 'system', content: readFileSync(PROJECT + '/CLAUDE.md', 'utf8') });
const headers = { authorization: 'Bearer ' + key, 'content-type': 'application/json' };
const response = await fetch(url + '/chat/completions', { method: 'POST', headers, body: JSON.stringify({ model, messages }) });
writeFileSync('answer.txt', await response.text());
`;

/** A project with a run of these arms, in which guidance is observed by the gateway. */
async function ranWith(arms: Readonly<Record<string, string | null>>): Promise<string> {
  await using model = await startScriptedModel({ rules: [{ reply: 'Done.' }] });
  const files = Object.entries(arms).flatMap(([name, text]) => (text === null ? [] : [[`guidance/${name}.md`, text]]));
  const folder = await temporaryFolder({
    'agent.mjs': agent,
    'CLAUDE.md': 'Instructions of the project: always answer in verse.\n',
    'assay.config.yaml': JSON.stringify({
      isolation: 'none',
      agents: {
        mine: {
          kind: 'command',
          command: `${process.execPath} ${'${HERE}'}/agent.mjs`,
          format: 'text',
          instructionFiles: ['AGENTS.md'],
          baseUrl: `${model.url}/v1`,
          apiKey: 'sk-of-the-test-0123456789',
          env: { PROJECT: '${HERE}' },
        },
      },
    }),
    'scenario.yaml': JSON.stringify({
      name: 'Answer',
      target: { binary: 'true' },
      task: { prompt: 'Answer the question.' },
      guidance: Object.fromEntries(
        Object.entries(arms).map(([name, text]) => [name, text === null ? 'none' : `guidance/${name}.md`]),
      ),
      evaluation: { gates: [{ type: 'file_exists', path: 'answer.txt' }] },
    }),
    ...Object.fromEntries(files),
  });
  const flags = ['--json', '--no-cache', '--agent', 'mine', '--model', 'test-model'];
  const run = await assay(['run', 'scenario.yaml', ...flags], { cwd: folder, env: { HERE: folder } });
  const { trials } = JSON.parse(run.stdout) as { trials: { outcome: string; reason: string }[] };
  expect(trials.map(({ outcome }) => outcome)).toEqual(Object.keys(arms).map(() => 'pass'));
  return folder;
}

const arms = {
  good: 'Answer the question with one word, as the customer asks for it.\n',
  better: 'Answer the question with two words, as the customer asks for it.\n',
  ignored: 'Answer the question with a number. This file is IGNORED by the agent.\n',
  mixed: 'Answer the question with a list. It comes beside FOREIGN instructions.\n',
};

type Arm = keyof typeof arms;

/** Compares two arms of the newest run. */
const compare = (folder: string, a: string, b: string, ...flags: string[]) =>
  assay(['compare', 'latest', '--by', 'guidance', '--a', a, '--b', b, ...flags], { cwd: folder });

describe('a comparison by guidance', () => {
  const refusals: readonly (readonly [string, Arm, RegExp])[] = [
    [
      'did not arrive',
      'ignored',
      /^the guidance ignored did not reach the model in 1 of 1 trial, such as [\w-]+ of B$/,
    ],
    [
      'arrived beside something foreign',
      'mixed',
      /^instructions from outside the trial \(\/.*\/CLAUDE\.md\) reached the model beside the guidance mixed in 1 of 1 trial, such as [\w-]+ of B$/,
    ],
  ];

  it.each(refusals)('is refused by name, also in the pages, where an arm %s', async (_, arm, message) => {
    const folder = await ranWith({ good: arms.good, [arm]: arms[arm] });
    const difference = { what: 'instructions', message: expect.stringMatching(message), isDecisive: true };
    const refused = await compare(folder, 'good', arm, '--json');
    expect(refused.exitCode).toBe(2);
    const document = JSON.parse(refused.stdout);
    expect(document).toMatchObject({ answer: 'not-comparable', metrics: [] });
    expect(document.differences.filter(({ isDecisive }: { isDecisive: boolean }) => isDecisive)).toEqual([difference]);
    const text = await compare(folder, 'good', arm);
    expect(text.exitCode).toBe(2);
    expect(text.stdout.replaceAll(/\s+/g, ' ')).toContain('in 1 of 1 trial, such as');
    expect(text.stderr).toContain('A and B are not comparable');
    const { request } = await serving(folder);
    const page = await request(`/api/compare?a=latest&by=guidance&valueA=good&valueB=${arm}`);
    expect(page.status).toBe(200);
    expect(await page.json()).toMatchObject({
      answer: 'not-comparable',
      metrics: [],
      differences: expect.arrayContaining([difference]),
    });
    const forced = await compare(folder, 'good', arm, '--json', '--force');
    expect(forced.exitCode).toBe(0);
    expect(JSON.parse(forced.stdout).metrics).not.toEqual([]);
  });

  it('is not refused where both arms arrived and nothing else did', async () => {
    const folder = await ranWith({ good: arms.good, better: arms.better });
    const compared = await compare(folder, 'good', 'better', '--json');
    expect(compared.exitCode).toBe(0);
    const { answer, differences, metrics } = JSON.parse(compared.stdout);
    expect(answer).not.toBe('not-comparable');
    expect(metrics).not.toEqual([]);
    expect(differences.filter(({ what }: { what: string }) => what === 'instructions')).toEqual([]);
    const { request } = await serving(folder);
    const page = await request('/api/compare?a=latest&by=guidance&valueA=good&valueB=better');
    expect(await page.json()).toMatchObject({ answer });
  });

  it('with an arm without guidance is refused only where something foreign arrived', async () => {
    const folder = await ranWith({ none: null, good: arms.good, mixed: arms.mixed });
    expect((await compare(folder, 'none', 'good')).exitCode).toBe(0);
    expect((await compare(folder, 'none', 'mixed')).exitCode).toBe(2);
  });
});
