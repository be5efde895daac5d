import { expect, it } from 'vitest';
import { startScriptedModel } from '../../src/drive/models/scripted/index.ts';
import { assay, ended, startAssay } from '../../src/testing/support/assay.ts';
import { answerText, criteriaReply, secretKey } from '../../src/testing/support/judged-project.ts';
import { repetitions } from '../../src/testing/support/repetitions.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const kills = repetitions({ usual: 3, inFull: 100 });
const concurrency = 4;
/** Requests that the provider answers before all further ones wait for the kill. */
const answeredPerLife = 3;
const usage = { input: 1_000, output: 100 };
const judged = { reply: { json: criteriaReply('met') }, usage };

const project = {
  'assay.config.yaml': `judge: { maxOutputTokens: 300 }
models:
  judge: openai/gpt-4o-mini
  prices: { openai/gpt-4o-mini: { inputPer1M: 1, outputPer1M: 10 } }
`,
  's.yaml': `name: Capital
call: { module: ./tool.mjs, export: answer }
dataset: ./rows.jsonl
judge: { successCriteria: The answer names Paris }
`,
  'tool.mjs': `export const answer = () => ({ text: ${JSON.stringify(answerText)} });\n`,
  'rows.jsonl': Array.from({ length: 2 * kills + 8 }, (_, row) => JSON.stringify({ question: `q${row}` })).join('\n'),
};
const pricePerRequest = (usage.input * 1 + usage.output * 10) / 1e6;

it(`counts what the provider got over ${kills} kills, with the requests that were on their way`, async () => {
  const cwd = await temporaryFolder(project);
  const flags = ['--concurrency', String(concurrency), '--json'];
  let requests = 0;
  for (let life = 0; life < kills; life++) {
    let kill: () => void = () => undefined;
    await using model = await startScriptedModel(
      {
        rules: [
          ...Array.from({ length: answeredPerLife }, (_, nth) => ({ when: { nth: nth + 1 }, ...judged })),
          { ...judged, delayMs: 600_000 },
        ],
      },
      { onRequest: ({ number }) => void (number === answeredPerLife + concurrency && kill()) },
    );
    const args = life === 0 ? ['run', 's.yaml', ...flags] : ['run', '--resume', 'latest', ...flags];
    const child = startAssay(args, { cwd, env: { OPENAI_API_KEY: secretKey, ...model.environment } });
    kill = () => child.kill('SIGKILL');
    await ended(child);
    requests += model.log().length;
  }
  await using model = await startScriptedModel({ rules: [judged] });
  const env = { OPENAI_API_KEY: secretKey, ...model.environment };
  const { stdout, exitCode } = await assay(['run', '--resume', 'latest', ...flags], { cwd, env });
  requests += model.log().length;

  expect(exitCode).toBe(0);
  const { spending, costUsd } = JSON.parse(stdout);
  const unanswered = kills * concurrency;
  expect(spending).toMatchObject({ requests, unanswered });
  expect(spending.costUsd).toBeCloseTo((requests - unanswered) * pricePerRequest, 9);
  expect(spending.costUsd).toBeGreaterThanOrEqual(costUsd);
  const shown = await assay(['show', 'latest'], { cwd });
  expect(shown.stdout.replace(/\s+/g, ' ')).toContain(
    `sent to models by all processes of the run: ${requests} requests`,
  );
}, 600_000);

it('keeps a spending limit over kills', async () => {
  const cwd = await temporaryFolder({
    ...project,
    'rows.jsonl': Array.from({ length: 60 }, (_, row) => JSON.stringify({ question: `q${row}` })).join('\n'),
  });
  const env = { OPENAI_API_KEY: secretKey };
  const [flags, maxUsd] = [['--concurrency', '3', '--json'], 0.1];
  {
    let kill: () => void = () => undefined;
    await using model = await startScriptedModel(
      {
        rules: [
          { when: { nth: 1 }, ...judged },
          { ...judged, delayMs: 600_000 },
        ],
      },
      { onRequest: ({ number }) => void (number === 4 && kill()) },
    );
    const args = ['run', 's.yaml', '--max-usd', String(maxUsd), ...flags];
    const child = startAssay(args, { cwd, env: { ...env, ...model.environment } });
    kill = () => child.kill('SIGKILL');
    await ended(child);
    expect(model.log()).toHaveLength(4);
  }
  await using model = await startScriptedModel({ rules: [judged] });
  const args = ['run', '--resume', 'latest', '--max-usd', String(maxUsd), ...flags];
  const { stdout } = await assay(args, { cwd, env: { ...env, ...model.environment } });
  const { spending, totals } = JSON.parse(stdout);
  expect(spending.unanswered).toBe(3);
  expect(totals.error).toBeGreaterThan(0);
  expect(spending.costUsd).toBeGreaterThan(2 * pricePerRequest);
  expect(spending.costUsd + spending.mostUnknownUsd).toBeLessThanOrEqual(maxUsd);
  expect(spending.mostUnknownUsd).toBeGreaterThan(3 * pricePerRequest);
});
