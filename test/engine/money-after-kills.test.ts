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

type Rules = Parameters<typeof startScriptedModel>[0]['rules'];

/** Runs Assay until the provider has got this many requests, and kills it then; gives the number of requests. */
async function killedRun(args: readonly string[], cwd: string, rules: Rules, atRequest: number): Promise<number> {
  let kill: () => void = () => undefined;
  await using model = await startScriptedModel(
    { rules },
    { onRequest: ({ number }) => void (number === atRequest && kill()) },
  );
  const child = startAssay(args, { cwd, env: { OPENAI_API_KEY: secretKey, ...model.environment } });
  kill = () => child.kill('SIGKILL');
  await ended(child);
  return model.log().length;
}

const waiting = { ...judged, delayMs: 600_000 };
const answeredThenWaiting = (answered: number): Rules => [
  ...Array.from({ length: answered }, (_, nth) => ({ when: { nth: nth + 1 }, ...judged })),
  waiting,
];

it(`counts what the provider got over ${kills} kills, with the requests that were on their way`, {
  timeout: 600_000,
}, async () => {
  const cwd = await temporaryFolder(project);
  const flags = ['--concurrency', String(concurrency), '--json'];
  let requests = 0;
  for (let life = 0; life < kills; life++) {
    const args = life === 0 ? ['run', 's.yaml', ...flags] : ['run', '--resume', 'latest', ...flags];
    requests += await killedRun(args, cwd, answeredThenWaiting(answeredPerLife), answeredPerLife + concurrency);
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
});

it('keeps the spending limit of a run that is resumed without one', async () => {
  const cwd = await temporaryFolder({
    ...project,
    'rows.jsonl': Array.from({ length: 60 }, (_, row) => JSON.stringify({ question: `q${row}` })).join('\n'),
  });
  const [flags, maxUsd] = [['--concurrency', '3', '--json'], 0.1];
  const args = ['run', 's.yaml', '--max-usd', String(maxUsd), ...flags];
  expect(await killedRun(args, cwd, answeredThenWaiting(1), 4)).toBe(4);
  await using model = await startScriptedModel({ rules: [judged] });
  const env = { OPENAI_API_KEY: secretKey, ...model.environment };
  const { stdout } = await assay(['run', '--resume', 'latest', ...flags], { cwd, env });
  const { spending, totals } = JSON.parse(stdout);
  expect(spending.unanswered).toBe(3);
  expect(totals.error).toBeGreaterThan(0);
  expect(spending.costUsd).toBeGreaterThan(2 * pricePerRequest);
  expect(spending.costUsd + spending.mostUnknownUsd).toBeLessThanOrEqual(maxUsd);
  expect(spending.mostUnknownUsd).toBeGreaterThan(3 * pricePerRequest);

  const more = await assay(['run', '--retry-errors', '--max-usd', '1', ...flags], { cwd, env });
  expect(JSON.parse(more.stdout).totals).toMatchObject({ pass: 60, error: 0 });
});

it('keeps the spending limit that a resumed run was given, at its third start and when that start is killed too', async () => {
  const cwd = await temporaryFolder({
    ...project,
    'rows.jsonl': Array.from({ length: 60 }, (_, row) => JSON.stringify({ question: `q${row}` })).join('\n'),
  });
  const flags = ['--concurrency', '3', '--json'];
  const [loose, tight] = ['1', 0.1];
  await killedRun(['run', 's.yaml', '--max-usd', loose, ...flags], cwd, answeredThenWaiting(1), 4);
  await killedRun(['run', '--resume', 'latest', '--max-usd', String(tight), ...flags], cwd, answeredThenWaiting(1), 4);
  await using model = await startScriptedModel({ rules: [judged] });
  const env = { OPENAI_API_KEY: secretKey, ...model.environment };
  const { stdout } = await assay(['run', '--resume', 'latest', ...flags], { cwd, env });
  const { spending, totals } = JSON.parse(stdout);
  expect(totals.error).toBeGreaterThan(0);
  expect(spending.costUsd + spending.mostUnknownUsd).toBeLessThanOrEqual(tight);
});
