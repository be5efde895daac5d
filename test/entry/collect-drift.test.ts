import { expect, it } from 'vitest';
import type { RuleList } from '../../src/entry/server/api/traces.ts';
import { finishedTrial, runHeader } from '../../src/testing/samples.ts';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { startCollecting } from '../../src/testing/support/collecting.ts';
import { bodyOf, serve } from '../../src/testing/support/http-server.ts';
import { openProjectStore } from '../../src/testing/support/project-store.ts';
import { serving } from '../../src/testing/support/serving.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const day = 86_400_000;
const tracesADay = 60;

/** Runs of the rule `looks` on past days, each with so many failures in 60 traces. */
async function pastDays(cwd: string, failures: readonly number[], contentHash = 'same'): Promise<void> {
  await using store = await openProjectStore(cwd);
  for (const [index, failed] of failures.entries()) {
    const startedAt = Date.now() - (failures.length - index) * day;
    const period = new Date(startedAt).toISOString().slice(0, 10);
    const header = runHeader(`r-${period}-${contentHash}`, { startedAt, planned: tracesADay });
    const origin = { kind: 'rule', rule: 'looks', period } as const;
    await store.createRun({
      ...header,
      request: { ...header.request, origin },
      scenarios: header.scenarios.map((scenario) => ({ ...scenario, contentHash })),
    });
    const trials = Array.from({ length: tracesADay }, (_, ordinal) => {
      const { record, trace } = finishedTrial(header.runId, ordinal);
      const outcome = ordinal < failed ? 'fail' : 'pass';
      return { record: { ...record, outcome, caseId: `${period}-${ordinal}` } as const, trace };
    });
    await store.saveTrials(trials);
    await store.setRunStatus(header.runId, 'finished', startedAt + 1);
  }
}

const rules = { looks: { evaluators: [{ type: 'no-failed-calls' }], drift: {} } };
const usual = [6, 5, 7, 6, 4, 6];

it('tells a drift by the exit code and a webhook, once', async () => {
  const received: { body: string; signature: unknown }[] = [];
  const url = await serve(async (request, response) => {
    received.push({ body: await bodyOf(request), signature: request.headers['webhook-signature'] });
    response.writeHead(204).end();
  });
  const webhooks = [{ url, secret: '${HOOK}', events: ['drift'] }];
  const cwd = await temporaryFolder({ 'assay.config.json': JSON.stringify({ rules, webhooks }) });
  await pastDays(cwd, [...usual, 25, 28, 26]);
  const { exitCode, stdout } = await assay(['watch', '--rules', '--json'], { cwd });
  expect([exitCode, JSON.parse(stdout)]).toMatchObject([
    1,
    {
      schema: 'assay.drift/1',
      rules: [
        {
          rule: 'looks',
          state: 'drift',
          looks: 5,
          reference: { periods: 4 },
          figures: [{ figure: 'pass-rate', state: 'drift', referenceUnits: 240, units: 300 }, { state: 'no-drift' }],
        },
      ],
    },
  ]);
  for (const _ of [1, 2]) {
    const collecting = await startCollecting(cwd, undefined, { HOOK: 'a-long-random-text' });
    await expect.poll(() => received.length).toBe(1);
    expect((await collecting.stop()).exitCode).toBe(0);
  }
  expect(received).toHaveLength(1);
  expect(received[0]?.signature).toMatch(/^v1,/);
  expect(JSON.parse(received[0]?.body ?? '')).toMatchObject({
    schema: 'assay.webhook/1',
    event: 'drift',
    rule: 'looks',
    reason: expect.stringMatching(/^pass-rate fell: 90\.\d % → 7\d\.\d %/),
  });
});

it('shows the runs of a rule over time, and the drift', async () => {
  const cwd = await temporaryFolder({
    'assay.config.json': JSON.stringify({ rules: { ...rules, others: { evaluators: [{ type: 'no-failed-calls' }] } } }),
  });
  await pastDays(cwd, [...usual, 25, 28, 26]);
  const { request, child } = await serving(cwd);
  const { items: shown } = (await (await request('/api/rules')).json()) as RuleList;
  expect(shown).toMatchObject([
    {
      rule: 'looks',
      drift: {
        state: 'drift',
        looks: 5,
        figures: [expect.stringMatching(/^pass-rate fell/), expect.stringMatching(/^errors: no drift/)],
      },
    },
    { rule: 'others', drift: null, trend: [] },
  ]);
  expect(shown[0]?.trend.map(({ judged }) => judged)).toEqual(Array(9).fill(tracesADay));
  expect(shown[0]?.trend.map(({ passRate }) => passRate?.toFixed(2)).at(-1)).toBe('0.57');
  const times = shown[0]?.trend.map(({ startedAt }) => startedAt) ?? [];
  expect(times).toEqual([...times].sort());
  child.kill('SIGINT');
});

it('tells no drift where nothing changed, and says when there is not enough data', async () => {
  const cwd = await temporaryFolder({ 'assay.config.json': JSON.stringify({ rules }) });
  const look = async () => {
    const { exitCode, stdout } = await assay(['watch', '--rules', '--once'], { cwd });
    return [exitCode, stdout];
  };
  expect(await look()).toEqual([3, expect.stringContaining('pass-rate: not enough data')]);
  await pastDays(cwd, [...usual, 7, 5, 6]);
  expect(await look()).toEqual([0, expect.stringContaining('✓ looks: 5 days compared with the reference')]);
  // Verdicts of another version of the rule are not compared with those before.
  await pastDays(cwd, [30], 'other');
  expect(await look()).toEqual([3, expect.stringContaining('not enough data')]);
  const plain = await temporaryFolder({ 'assay.config.json': '{}' });
  const { exitCode, stderr } = await assay(['watch', '--rules'], { cwd: plain });
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('No rule in the config watches for drift')]);
});
