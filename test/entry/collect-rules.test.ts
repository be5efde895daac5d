import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ended } from '../../src/testing/support/assay.ts';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import {
  attribute,
  type CollectedTrial,
  collectedTrials,
  exportOf,
  idOf,
  startCollecting,
  toolSpan,
} from '../../src/testing/support/collecting.ts';
import { meteredModel, meteredPrices } from '../../src/testing/support/metered-model.ts';
import { openProjectStore } from '../../src/testing/support/project-store.ts';
import { scored } from '../../src/testing/support/rescoring.ts';
import { serving } from '../../src/testing/support/serving.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const collect = { quietSecs: 0.001, idleSecs: 0.001 };
const looks = [{ type: 'tool-called', config: { tool: 'look' } }, { type: 'no-failed-calls' }];

/** A project that collects, with rules. */
function ruledProject(rules: unknown, more: object = {}, files: Readonly<Record<string, string>> = {}) {
  return temporaryFolder({ 'assay.config.json': JSON.stringify({ collect, rules, ...more }), ...files });
}

/** Trials of the runs of a rule. */
async function judgedBy(cwd: string, rule: string): Promise<CollectedTrial[]> {
  await using store = await openProjectStore(cwd);
  const runs = await store.listRuns(100);
  const ofRule = runs.filter(({ request: { origin } }) => origin?.kind === 'rule' && origin.rule === rule);
  const ids = new Set(ofRule.map(({ runId }) => runId));
  return (await collectedTrials(cwd)).filter(({ runId }) => ids.has(runId));
}

it('judges the traces that a rule is about, each once, and again when spans come late', async () => {
  const scenario = { name: 'Desk', call: { command: 'true' }, input: {}, evaluators: looks };
  const cwd = await ruledProject(
    {
      looks: { match: { service: 'de*', name: '*look' }, evaluators: looks, runs: 'hour' },
      'of-file': { match: { attributes: { tier: 'gold' } }, scenario: 's.json' },
      half: { sample: 0.5, evaluators: looks },
      none: { match: { service: 'shop' }, evaluators: looks },
    },
    {},
    { 's.json': JSON.stringify(scenario) },
  );
  const first = await startCollecting(cwd);
  const spans = Array.from({ length: 20 }, (_, index) =>
    toolSpan({
      trace: index + 1,
      span: 1,
      ...(index === 3 && { failed: 'no such desk' }),
      attributes: index < 2 ? [attribute('tier', 'gold')] : [],
    }),
  );
  await first.send(exportOf(spans));
  const counts = (await first.stop()).counts as { judged: number };
  const second = await startCollecting(cwd);
  await second.send(exportOf([toolSpan({ trace: 1, span: 2, parent: 1, failed: 'too late' })]));
  const again = (await second.stop()).counts as { judged: number };
  expect(again).toMatchObject({ late: 1, trials: 1 });

  const judged = await judgedBy(cwd, 'looks');
  expect(judged.map(({ caseId, outcome }) => [caseId, outcome])).toEqual(
    Array.from({ length: 20 }, (_, index) => [idOf(index + 1, 32), index === 3 || index === 0 ? 'fail' : 'pass']),
  );
  expect(judged[3]).toMatchObject({ sourceSpan: { traceId: idOf(4, 32), spanId: idOf(1, 16) }, scenario: 'looks' });
  expect((await judgedBy(cwd, 'of-file')).map(({ caseId, scenario: name }) => [caseId, name])).toEqual([
    [idOf(1, 32), 'Desk'],
    [idOf(2, 32), 'Desk'],
  ]);
  const half = (await judgedBy(cwd, 'half')).length;
  expect(half).toBeGreaterThan(3);
  expect(half).toBeLessThan(17);
  expect(await judgedBy(cwd, 'none')).toEqual([]);
  expect(counts.judged).toBe(22 + half);
  expect([2, 3]).toContain(again.judged);
  const run = judged[0]?.runId ?? '';
  const shown = JSON.parse((await assay(['show', run, '--json'], { cwd })).stdout);
  expect(shown).toMatchObject({ status: 'finished', totals: { planned: 20, pass: 18, fail: 2 } });
  const { stdout } = await assay(['show', run, '--clusters'], { cwd });
  expect(stdout).toContain('no such desk');

  const collected = (await collectedTrials(cwd)).find(({ file }) => file === '/v1/traces')?.runId ?? '';
  const rescored = await scored(['rescore', collected, 's.json'], { cwd });
  expect(rescored.document.totals).toMatchObject({ planned: 20, pass: 18, fail: 2, skipped: 0 });
  expect(rescored.document.trials[0]).toMatchObject({ caseId: idOf(1, 32), scenario: 'Desk' });
});

it('stops judging with a model when the budget of the day is spent, also after a restart', async () => {
  // A reply costs 40 cents, could cost 50, and is not a verdict.
  const model = await meteredModel({ replyTokens: 400 });
  const cwd = await ruledProject(
    { kind: { judge: { model: 'openai/metered', successCriteria: 'The desk was looked at.' }, maxUsdPerDay: 0.8 } },
    { models: { prices: { 'openai/metered': meteredPrices } }, judge: { maxOutputTokens: 500 } },
  );
  for (const part of [1, 2]) {
    const collecting = await startCollecting(cwd, undefined, model.env);
    const spans = [1, 2, 3].map((each) => toolSpan({ trace: part * 10 + each, span: 1 }));
    await collecting.send(exportOf(spans));
    expect((await collecting.stop()).counts).toMatchObject({ judged: 3 });
  }
  const judged = await judgedBy(cwd, 'kind');
  expect([judged.length, model.bodies.length]).toEqual([6, 1]);
  expect(new Set(judged.map(({ outcome, fault }) => `${outcome} ${fault?.code}`))).toEqual(
    new Set(['error MODEL_BUDGET_REACHED']),
  );
});

it('refuses wrong rules with their places, and starts nothing', async () => {
  const config = `collect: { quietSecs: 1 }
rules:
  one:
    evaluators:
      - { type: tool-caled, config: { tool: look } }
  two:
    scenario: missing.yaml
  three:
    evaluators:
      - { type: tool-called, config: { tol: look } }
  four:
    evaluators: [{ type: turn-count }]
`;
  const cwd = await temporaryFolder({ 'assay.config.yaml': config });
  for (const command of [['collect', '--port', '0'], ['validate']]) {
    const { exitCode, stderr, stdout } = await assay(command, { cwd });
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toContain('assay.config.yaml:5:');
    expect(stderr).toContain('tool-called');
    expect(stderr).toContain('assay.config.yaml:7:');
    expect(stderr).toMatch(/assay\.config\.yaml:10:.*tol/);
    expect(stderr).toMatch(/assay\.config\.yaml:\d+:\d+.*"four" asserts nothing/);
  }
  const neither = await temporaryFolder({ 'assay.config.yaml': 'rules:\n  one: { sample: 0.5 }\n' });
  const { exitCode, stderr } = await assay(['collect', '--port', '0'], { cwd: neither });
  expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/assay\.config\.yaml:2:8: .*either `scenario`/)]);
});

it('says wrong rules when the web server starts, and goes on with the config that was mended', async () => {
  const configOf = (rule: string, type: string) =>
    JSON.stringify({ collect, rules: { [rule]: { evaluators: [{ type }] } } }, null, 2);
  const cwd = await temporaryFolder({ 'assay.config.json': configOf('first', 'no-failed-cals') });
  const { child, request } = await serving(cwd);
  let printed = '';
  child.stderr?.on('data', (text) => {
    printed += String(text);
  });
  const send = (trace: number) =>
    request('/v1/traces', { method: 'POST', body: JSON.stringify(exportOf([toolSpan({ trace, span: 1 })])) });
  const write = (rule: string, type: string) => writeFile(join(cwd, 'assay.config.json'), configOf(rule, type));
  await expect.poll(() => printed).toMatch(/Traces are refused.*\n.*assay\.config\.json:\d+:\d+: .*no-failed-cals/);
  const refused = await send(1);
  expect([refused.status, await refused.json()]).toEqual([
    503,
    { code: 14, message: expect.stringContaining('no-failed-cals') },
  ]);
  await write('first', 'no-failed-calls');
  expect((await send(2)).status).toBe(200);
  await write('second', 'no-failed-cals');
  expect((await send(3)).status).toBe(200);
  await expect.poll(() => printed).toMatch(/earlier config: assay\.config\.json:\d+:\d+/);
  await write('second', 'no-failed-calls');
  expect((await send(4)).status).toBe(200);
  expect((await request('/v1/feedback', { method: 'POST', body: labelOf(4) })).status).toBe(204);
  expect((await request('/projects/none/v1/feedback', { method: 'POST', body: labelOf(4) })).status).toBe(404);
  const end = ended(child);
  child.kill('SIGINT');
  expect((await end).exitCode).toBe(0);
  const casesOf = async (rule: string) => (await judgedBy(cwd, rule)).map(({ caseId }) => caseId);
  expect([await casesOf('first'), await casesOf('second')]).toEqual([[idOf(2, 32), idOf(3, 32)], [idOf(4, 32)]]);
  expect(await readFile(join(cwd, '.assay', 'collect', 'feedback.jsonl'), 'utf8')).toContain(idOf(4, 32));
});

const labelOf = (trace: number) => JSON.stringify({ traceId: idOf(trace, 32), label: 'pass' });
