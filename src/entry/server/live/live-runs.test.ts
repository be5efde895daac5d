import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkAnswer } from '../../../testing/fakes/server/check-answer.ts';
import { type HeldTool, startHeldTool } from '../../../testing/fakes/server/held-tool.ts';
import { type ServedProject, serveFiles } from '../../../testing/fakes/server/served-project.ts';
import { type StreamedEvent, streamEvents } from '../../../testing/fakes/server/stream-events.ts';
import { type RunDetail, runStreamEventSchema, type StartedRun, type TrialList } from '../api/runs.ts';

const scenarioOf = (url: string) => `name: held
call: { url: "${url}" }
cases:
${[1, 2, 3, 4, 5, 6].map((number) => `  - { name: case ${number}, input: { n: ${number} } }`).join('\n')}
passCriteria: [result.ok === true, input.n !== 3]
`;

describe('runs that go on in the server', () => {
  let tool: HeldTool;
  let served: ServedProject;
  beforeEach(async () => {
    tool = await startHeldTool();
    served = await serveFiles({ 'held.yaml': scenarioOf(tool.url), 'assay.config.yaml': 'concurrency: 2\n' });
  });
  afterEach(async () => {
    tool.release();
    await served[Symbol.asyncDispose]();
    await tool[Symbol.asyncDispose]();
  });

  const post = async (path: string, body?: unknown) =>
    checkAnswer<StartedRun>('POST', path, await served.send('POST', path, body));
  const stream = (runId: string, lastId?: string) =>
    served.request(`/api/runs/${runId}/events`, lastId === undefined ? {} : { headers: { 'last-event-id': lastId } });

  async function eventsUntilEnd(runId: string, lastId?: string): Promise<StreamedEvent[]> {
    const events: StreamedEvent[] = [];
    for await (const event of streamEvents(await stream(runId, lastId))) events.push(event);
    for (const { event } of events) runStreamEventSchema.parse(event);
    return events;
  }

  it('start, are followed to their end, and can be looked at', async () => {
    const { runId } = await post('/api/runs', { name: 'from the page' });
    await tool.waiting(2);
    const during = await served.get<RunDetail>(`/api/runs/${runId}`);
    expect(during).toMatchObject({ isLive: true, status: 'running', canCancel: true, canResume: false });
    const events = eventsUntilEnd(runId);
    tool.release();
    const types = (await events).map(({ event }) => event.type);
    expect(types[0]).toBe('progress');
    expect(types.at(-1)).toBe('finished');
    expect((await events).at(-1)?.event).toMatchObject({ outcome: 'fail', totals: { planned: 6, pass: 5, fail: 1 } });
    expect((await events).at(-2)?.event).toMatchObject({ type: 'progress', totals: { pass: 5, fail: 1, notRun: 0 } });
    expect(await served.get(`/api/runs/${runId}`)).toMatchObject({
      name: 'from the page',
      isLive: false,
      status: 'finished',
      totals: { planned: 6, pass: 5, fail: 1, error: 0, skipped: 0, notRun: 0 },
      cells: [{ scenario: 'held', pass: 5, fail: 1 }],
      canCancel: false,
      canResume: false,
      canRescore: true,
    });
  });

  it('are run again: all of them, the cases that failed, or the case of one trial', async () => {
    tool.release();
    const { runId } = await post('/api/runs');
    await eventsUntilEnd(runId);
    const detail = await served.get<RunDetail>(`/api/runs/${runId}`);
    expect([detail.whyNotAgain, detail.again]).toEqual([null, { failed: 1, flaky: 0 }]);
    const again = async (wish: object) => {
      const started = await post('/api/runs', wish);
      await eventsUntilEnd(started.runId);
      return (await served.get<TrialList>(`/api/runs/${started.runId}/trials`)).items.map(({ caseId }) => caseId);
    };
    const all = await again({ from: runId });
    expect(all).toHaveLength(6);
    expect(await again({ from: runId, failed: true })).toEqual([all[2]]);
    const { items } = await served.get<TrialList>(`/api/runs/${runId}/trials`);
    expect(await again({ trial: items[4]?.trialId, name: 'once more' })).toEqual([all[4]]);
    expect(await served.get('/api/runs/latest')).toMatchObject({ name: 'once more', totals: { planned: 1, pass: 1 } });
    const plan = await served.send('POST', '/api/runs/plan', { from: runId, failed: true, repeat: 4 });
    expect(await plan.json()).toMatchObject({
      ...{ scenarios: 1, cases: 1, trials: 4, reused: 0, costUsd: 0, isCostLowerBound: false, earlierTrials: 14 },
      ...{ durationMs: expect.any(Number), variants: [{ variant: {}, trials: 4, earlierTrials: 14 }] },
    });
    const none = await served.send('POST', '/api/runs', { from: runId, flaky: true });
    expect(await none.json()).toMatchObject({ code: 'NOTHING_TO_RUN', error: expect.stringContaining('No case of') });
  });

  it('are cancelled, keep what has finished, and are taken up again', async () => {
    const { runId } = await post('/api/runs');
    await tool.waiting(2);
    const ended = eventsUntilEnd(runId);
    await post(`/api/runs/${runId}/cancel`);
    expect((await ended).at(-1)?.event).toMatchObject({ type: 'finished', status: 'interrupted' });
    const interrupted = await served.get<RunDetail>(`/api/runs/${runId}`);
    expect(interrupted).toMatchObject({ isLive: false, status: 'interrupted', canResume: true });
    tool.release();
    expect(await post(`/api/runs/${runId}/resume`)).toEqual({ runId });
    await eventsUntilEnd(runId);
    expect(await served.get(`/api/runs/${runId}`)).toMatchObject({
      status: 'finished',
      totals: { planned: 6, pass: 5, fail: 1 },
    });
  });

  it('are scored again as new runs', async () => {
    tool.release();
    const { runId } = await post('/api/runs');
    await eventsUntilEnd(runId);
    const { runId: again } = await post(`/api/runs/${runId}/rescore`);
    expect(again).not.toBe(runId);
    await eventsUntilEnd(again);
    expect(await served.get(`/api/runs/${again}`)).toMatchObject({ origin: 'rescore', totals: { pass: 5, fail: 1 } });
  });

  it('are resumed by a client from the event that it saw last', async () => {
    const { runId } = await post('/api/runs');
    await tool.waiting(2);
    const [first] = await firstEvents(await stream(runId), 1);
    const rest = eventsUntilEnd(runId, first?.id);
    tool.release();
    const all = await rest;
    expect(all.map(({ id }) => id)).not.toContain(first?.id);
    const recent = all.flatMap(({ event }) => (event.type === 'progress' ? event.recent : []));
    expect(recent.filter(({ outcome }) => outcome === 'fail')).toHaveLength(1);
    const late = await stream(runId, all.at(-1)?.id);
    expect(late.status).toBe(204);
    const afterRestart = await eventsUntilEnd(runId, 'of-another-start.7');
    expect(afterRestart.map(({ event }) => event.type)).toEqual(['progress', 'finished']);
  });

  it('are bounded in number, and each goes on only once', async () => {
    const started = [];
    for (let count = 0; count < 4; count += 1) started.push(await post('/api/runs', { scenario: 'held' }));
    const refused = await served.send('POST', '/api/runs', {});
    expect([refused.status, await refused.json()]).toMatchObject([409, { code: 'TOO_MANY_RUNS' }]);
    const twice = await served.send('POST', `/api/runs/${started[0]?.runId}/resume`);
    expect([twice.status, await twice.json()]).toMatchObject([409, { code: 'RUN_LIVE' }]);
  });

  it('are interrupted and stored when the server ends', async () => {
    const { runId } = await post('/api/runs');
    await tool.waiting(2);
    await served.context.runs[Symbol.asyncDispose]();
    expect(await served.context.store.findRun(runId)).toMatchObject({ status: 'interrupted' });
  });
});

describe('requests for runs that cannot be', () => {
  it('report the problems, and run nothing', async () => {
    await using served = await serveFiles({ 'broken.yaml': 'name: broken\ncal: 1\n' });
    const broken = await served.send('POST', '/api/runs', { paths: ['broken.yaml'] });
    expect(broken.status).toBe(422);
    expect(await broken.json()).toMatchObject({
      code: 'FILE_INVALID',
      problems: [{ file: 'broken.yaml', line: expect.any(Number), column: expect.any(Number) }],
    });
    const outside = await served.send('POST', '/api/runs', { paths: ['../../etc'] });
    expect([outside.status, await outside.json()]).toMatchObject([400, { code: 'USAGE' }]);
    const unknown = await served.send('POST', '/api/runs', { path: 'x' });
    expect([unknown.status, await unknown.json()]).toMatchObject([400, { code: 'REQUEST_INVALID' }]);
    for (const action of ['cancel', 'resume', 'rescore']) {
      expect((await served.send('POST', `/api/runs/r-none/${action}`)).status).toBe(404);
    }
    expect(await served.context.store.listRuns(1)).toEqual([]);
  });
});

/** The first events of a stream, which goes on without this client. */
async function firstEvents(response: Response, count: number): Promise<StreamedEvent[]> {
  const events: StreamedEvent[] = [];
  for await (const event of streamEvents(response)) {
    events.push(event);
    if (events.length === count) break;
  }
  return events;
}
