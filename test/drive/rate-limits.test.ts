import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { RunWait } from '../../src/domain/run.ts';
import { assayInProcess } from '../../src/testing/support/assay-in-process.ts';
import { DistributedProject } from '../../src/testing/support/distributed-run.ts';
import { serve } from '../../src/testing/support/http-server.ts';
import { criteriaReply, judgedScenario, runJudged } from '../../src/testing/support/judged-project.ts';
import { hasPostgres, usePostgres } from '../../src/testing/support/postgres.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

/** An agent that answers two requests at a time and refuses all others. */
async function busyAgent() {
  const counts = { answered: 0, refused: 0, open: 0 };
  const url = await serve((request: IncomingMessage, response: ServerResponse) => {
    request.resume();
    if (counts.open >= 2) {
      counts.refused++;
      return response.writeHead(429, { 'retry-after-ms': '5' }).end('busy');
    }
    counts.open++;
    return setTimeout(() => {
      counts.open--;
      counts.answered++;
      response.end(JSON.stringify({ content: 'Booked.' }));
    }, 10);
  });
  return { url, counts };
}

function booking(baseUrl: string, more: object = {}): string {
  return JSON.stringify({
    name: 'Booking',
    connector: { type: 'http', baseUrl, retry: { times: 20 } },
    userMessages: ['Book it'],
    evaluators: [{ type: 'contains', config: { text: 'Booked' } }],
    ...more,
  });
}

describe('a server with a rate limit', () => {
  it('gets fewer requests at a time once it refuses some, each of them once, and the run says how long it waited', async () => {
    const { url, counts } = await busyAgent();
    const cwd = await temporaryFolder({ 's.json': booking(url, { repeat: 60 }) });
    const { stdout, exitCode } = await assayInProcess(['run', 's.json', '--concurrency', '16', '--json'], { cwd });
    const { totals, waits, runId } = JSON.parse(stdout);
    expect([exitCode, totals.pass, counts.answered]).toEqual([0, 60, 60]);
    const [wait] = waits as RunWait[];
    expect(waits).toHaveLength(1);
    expect(wait).toMatchObject({ origin: url, refusals: counts.refused });
    expect(wait?.lowest).toBeLessThanOrEqual(2);
    expect(wait?.waits).toBeGreaterThan(10);
    expect(wait?.waitedMs).toBeGreaterThan(0);
    // Without the limit, 14 of 16 requests would be refused again and again.
    expect(counts.refused).toBeLessThan(60);

    const text = `waited ${wait?.waits} times for the rate limit of ${url}, `;
    for (const format of ['console', 'markdown']) {
      const report = await assayInProcess(['report', runId, '--format', format, '-o', '-'], { cwd });
      expect(report.stdout).toContain(text);
    }
  });

  it('that refuses every first try keeps the run as long as it says, and the run says so', async () => {
    let requests = 0;
    const url = await serve((request, response) => {
      request.resume();
      requests++;
      if (requests % 2 === 0) return response.end(JSON.stringify({ content: 'Booked.' }));
      return response.writeHead(429, { 'retry-after-ms': '40' }).end('later');
    });
    const cwd = await temporaryFolder({ 's.json': booking(url, { repeat: 3 }) });
    const { stdout } = await assayInProcess(['run', 's.json', '--concurrency', '1', '--json'], { cwd });
    const { totals, waits } = JSON.parse(stdout);
    expect(totals.pass).toBe(3);
    const [wait] = waits as RunWait[];
    expect(wait).toMatchObject({ origin: url, refusals: 3 });
    expect(wait?.waits).toBeGreaterThanOrEqual(3);
    expect(wait?.waitedMs).toBeGreaterThanOrEqual(120);
  });

  it('is left alone until its limit starts afresh, which costs the trial none of its time', async () => {
    let requests = 0;
    const url = await serve((request, response) => {
      request.resume();
      requests++;
      const reset = new Date(Date.now() + 4_500).toISOString();
      const used = { 'anthropic-ratelimit-requests-remaining': '0', 'anthropic-ratelimit-requests-reset': reset };
      response.writeHead(200, requests === 1 ? used : {}).end(JSON.stringify({ content: 'Booked.' }));
    });
    const cwd = await temporaryFolder({ 's.json': booking(url, { repeat: 2, timeoutSecs: 4 }) });
    const { stdout } = await assayInProcess(['run', 's.json', '--concurrency', '1', '--json'], { cwd });
    const { trials, waits } = JSON.parse(stdout);
    expect(trials.map(({ outcome }: { outcome: string }) => outcome)).toEqual(['pass', 'pass']);

    expect(waits).toMatchObject([{ refusals: 0, waits: 1, lowest: 1 }]);
    const shown = JSON.parse((await assayInProcess(['show', trials[1].trialId, '--json'], { cwd })).stdout);
    const wait = shown.trace.find(({ kind }: { kind?: string }) => kind === 'rate-limit-wait');
    expect(wait.data.waitMs).toBeGreaterThan(trials[1].durationMs);
  });

  it('is paced the same when it is the model of the judge', async () => {
    const refusal = { status: 429, retryAfter: 0 } as const;
    const judged = await runJudged({
      scenario: judgedScenario({ model: 'openai/gpt-4o-mini', successCriteria: 'The answer names Paris.' }),
      rules: [{ fault: refusal, times: 1 }, { reply: { json: criteriaReply('met') } }],
      flags: ['--no-cache'],
    });
    expect(judged.trial.outcome).toBe('pass');
    expect(JSON.parse(judged.stdout).waits).toMatchObject([{ refusals: 1, lowest: 1 }]);
  });

  describe.skipIf(!hasPostgres)('on workers', () => {
    const postgres = usePostgres();

    it('is paced by each of them, and the run has the sum', async () => {
      const { url, counts } = await busyAgent();
      const files = { 'count.yaml': booking(url, { repeat: 20 }) };
      const project = await DistributedProject.make(await postgres.newDatabase(), { rows: 1, tool: '', files });
      project.worker(['--concurrency', '6']);
      const { stdout, exitCode } = await project.run().end;
      const { totals, waits } = JSON.parse(stdout);
      expect([exitCode, totals.pass]).toEqual([0, 20]);
      expect(waits).toMatchObject([{ origin: url, refusals: counts.refused }]);
    });
  });
});
