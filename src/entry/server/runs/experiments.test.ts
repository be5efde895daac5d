import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkAnswer } from '../../../testing/fakes/server/check-answer.ts';
import { type ServedProject, serveFiles } from '../../../testing/fakes/server/served-project.ts';
import { type StreamedEvent, streamEvents } from '../../../testing/fakes/server/stream-events.ts';
import { bodyOf } from '../../../testing/support/http-server.ts';
import type { ExperimentOutline, RunDetail, RunList, StartedRun } from '../api/runs.ts';

const connectors = ['old', 'fresh'];

/** Agents at `/old` and `/fresh`: the old one fails questions 1 to 12, and both answer the rest now right and now wrong. */
function agents(): Server {
  const counts = new Map<string, number>();
  return createServer(async (request, response) => {
    const { messages } = JSON.parse(await bodyOf(request)) as { messages: { content: string }[] };
    const question = messages.at(-1)?.content ?? '';
    const key = `${request.url} ${question}`;
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    const isRight = Number(question) <= 12 ? request.url === '/fresh' : count % 2 === 0;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ role: 'assistant', content: isRight ? 'yes' : 'no' }));
  });
}

const filesOf = (baseUrl: string) => ({
  'assay.config.json': JSON.stringify({
    scenarios: ['ask.json'],
    connectors: Object.fromEntries(
      connectors.map((name) => [name, { type: 'http', baseUrl, config: { path: `/${name}` } }]),
    ),
  }),
  'ask.json': JSON.stringify({
    name: 'Ask',
    dataset: './questions.jsonl',
    messages: [{ role: 'user', content: '{{question}}' }],
    evaluators: [{ type: 'contains', config: { text: 'yes' } }],
  }),
  'plain.json': JSON.stringify({ name: 'Plain', call: { command: 'cat' }, input: {}, passCriteria: ['true'] }),
  'questions.jsonl': Array.from({ length: 16 }, (_, index) => JSON.stringify({ question: `${index + 1}` })).join('\n'),
});

describe('experiments that are started from the pages', () => {
  const server = agents();
  let served: ServedProject;
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    served = await serveFiles(filesOf(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  });
  afterAll(async () => {
    await served[Symbol.asyncDispose]();
    server.closeAllConnections();
    server.close();
  });

  const outline = async (body: unknown) =>
    checkAnswer<ExperimentOutline>(
      'POST',
      '/api/experiments/plan',
      await served.send('POST', '/api/experiments/plan', body),
    );
  const start = (body: unknown) => served.send('POST', '/api/runs', body);

  it('are planned without running anything', async () => {
    expect(await outline({ connectors })).toEqual({
      parts: [{ part: 'connector', variants: connectors }],
      plan: null,
      problem: null,
    });
    const planned = await outline({ connectors, experiment: { by: 'connector', maxTrials: 200 } });
    expect(planned.plan).toEqual({
      reference: 'old',
      cases: 16,
      leftOut: 0,
      rounds: [2, 2, 2],
      firstRound: 64,
      maxTrials: 200,
    });
    expect((await served.get<RunList>('/api/runs')).items).toEqual([]);
  });

  it('leave out scenarios without the part that is compared', async () => {
    const { plan } = await outline({ paths: ['plain.json', 'ask.json'], connectors, experiment: { by: 'connector' } });
    expect(plan).toMatchObject({ reference: 'old', cases: 16, leftOut: 1 });
    const { problem } = await outline({
      paths: ['plain.json', 'ask.json'],
      connectors,
      experiment: { by: 'connector', reference: '' },
    });
    expect(problem?.message).toBe('No case is tried under "(none)" and under another connector.');
  });

  it.each([
    [{ by: 'persona' }, 400, 'The scenarios have only one variant by persona'],
    [{ by: 'connector', reference: 'odl' }, 404, 'There is no connector "odl".'],
    [{ by: 'connector', maxTrials: 31 }, 400, 'One round has 32 trials, more than the limit of 31.'],
  ])('are planned with the reason why they cannot be made: %j', async (experiment, status, message) => {
    const { plan, problem } = await outline({ connectors, experiment });
    expect(plan).toBeNull();
    expect(problem?.message).toContain(message);
    const refused = await start({ connectors, experiment });
    expect(refused.status).toBe(status);
    expect(await refused.json()).toMatchObject({ error: expect.stringContaining(message) });
  });

  it.each([
    [{ experiment: { by: 'colour' } }, 'by'],
    [{ experiment: { by: 'connector', maxTrials: 0 } }, 'maxTrials'],
    [{ experiment: { by: 'connector', smallest: { kind: 'absolute', value: -1 } } }, 'smallest'],
    [{ experiment: { by: 'connector', reponse: 1 } }, 'reponse'],
    [{ experiment: { by: 'connector' }, repeat: 3 }, '`experiment` cannot be combined with `repeat`.'],
    [{ experiment: { by: 'connector' }, distributed: true }, 'each round depends on the results before it'],
  ])('are refused before anything runs: %j', async (wish, message) => {
    const refused = await start({ connectors, ...wish });
    expect(refused.status).toBe(400);
    expect(await refused.text()).toContain(message);
    expect((await served.get<RunList>('/api/runs')).items).toEqual([]);
  });

  it('are followed round by round, and marked in the list', async () => {
    const wish = { connectors, experiment: { by: 'connector', metric: 'pass-rate' }, maxUsd: 5 };
    const { runId } = await checkAnswer<StartedRun>('POST', '/api/runs', await start(wish));
    const events: StreamedEvent[] = [];
    for await (const event of streamEvents(await served.request(`/api/runs/${runId}/events`))) events.push(event);
    const progress = events.flatMap(({ event }) => (event.type === 'progress' ? [event] : []));
    expect(progress[0]).toMatchObject({ round: { rounds: 5 } });
    const { header, ...run } = await served.get<RunDetail>(`/api/runs/${runId}`);
    expect(progress.at(-1)).toMatchObject({
      round: { round: header.experiment?.looks.length, rounds: 5 },
      totals: { planned: run.totals.planned, notRun: 0 },
    });
    expect(header.request.experiment).toMatchObject({ by: 'connector', maxUsd: 5, maxTrials: 320 });
    const mark = {
      by: 'connector',
      reference: 'old',
      ending: 'decided',
      arms: [{ arm: 'fresh', answer: 'better' }],
    };
    expect(run.experiment).toEqual(mark);
    expect((await served.get<RunList>('/api/runs')).items).toMatchObject([{ runId, experiment: mark }]);
  });
});
