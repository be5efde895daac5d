import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { assay } from '../../src/testing/support/assay.ts';
import { bodyOf, listen } from '../../src/testing/support/http-server.ts';
import { type Serving, serving } from '../../src/testing/support/serving.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const tool = `name: echo
call: { command: cat }
cases:
  - { name: one, input: { a: 1 } }
  - { name: two, input: { a: 2 } }
passCriteria: [result.a < 3]
`;

const client = ({ request }: Serving) => ({
  get: async (path: string) => (await request(path)).json(),
  async post(path: string, body: unknown) {
    const response = await request(path, { method: 'POST', body: JSON.stringify(body) });
    return { status: response.status, body: (await response.json()) as { runId: string; error?: string } };
  },
  /** Waits for a run and gives its trials. */
  async trialsOf(runId: string): Promise<{ trialId: string; caseId: string; outcome: string; reason: string }[]> {
    await (await request(`/api/runs/${runId}/events`)).text();
    return ((await (await request(`/api/runs/${runId}/trials`)).json()) as { items: never[] }).items;
  },
});

describe('edit and rerun', () => {
  it('runs one case with a changed input, changes no file, and is never evidence', async () => {
    const agent = createServer(async (request, response) => {
      const { messages } = JSON.parse(await bodyOf(request)) as { messages: { content: string }[] };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ content: `You said ${messages.at(-1)?.content}` }));
    });
    const chat = `name: chat
connector: { type: http, baseUrl: "${await listen(agent, 'http')}" }
userMessages: [hello]
evaluators: [{ type: regex, config: { pattern: hello } }]
`;
    const cwd = await temporaryFolder({ 'echo.yaml': tool, 'chat.yaml': chat });
    const { get, post, trialsOf } = client(await serving(cwd));
    const original = (await post('/api/runs', {})).body.runId;
    const trials = await trialsOf(original);
    expect(trials.map(({ outcome }) => outcome)).toEqual(['pass', 'pass', 'pass']);
    const [talk, , two] = trials;

    expect(await get(`/api/trials/${two?.trialId}/rerun`)).toMatchObject({ keys: ['input'], input: { a: 2 } });
    const edited = await post(`/api/trials/${two?.trialId}/rerun`, { input: { a: 7 } });
    expect(edited.status).toBe(201);
    const { runId } = edited.body;
    const [changed, ...others] = await trialsOf(runId);
    expect([changed?.caseId, changed?.outcome, others]).toEqual(['two', 'fail', []]);
    expect(await get(`/api/trials/${changed?.trialId}`)).toMatchObject({ run: { editOf: two?.trialId } });
    expect(await readFile(join(cwd, 'echo.yaml'), 'utf8')).toBe(tool);

    expect(await get(`/api/trials/${talk?.trialId}/rerun`)).toMatchObject({ userMessages: ['hello'], messages: [] });
    const said = await post(`/api/trials/${talk?.trialId}/rerun`, { userMessages: ['good bye'] });
    expect(await trialsOf(said.body.runId)).toMatchObject([{ outcome: 'fail', scenario: 'chat' }]);

    for (const force of ['', '&force=true']) {
      const compared = await get(`/api/compare?a=${original}&b=${runId}${force}`);
      expect(compared).toMatchObject({ answer: 'not-comparable', isForced: false, metrics: [] });
    }
    expect(await get(`/api/runs/${runId}`)).toMatchObject({ origin: 'edit', canResume: false, canRescore: false });
    expect(await get('/api/dashboard')).toMatchObject({
      trends: [{ trend: [{ runId: original }] }],
      broke: null,
    });
    expect(await get('/api/scenarios')).toMatchObject({
      items: [{ last: { runId: original } }, { last: { runId: original } }],
    });
    const latest = JSON.parse((await assay(['show', 'latest', '--json'], { cwd })).stdout);
    expect(latest.runId).toBe(original);
    const baseline = await assay(['baseline', 'set', runId], { cwd });
    expect([baseline.exitCode, baseline.stderr]).toEqual([2, expect.stringContaining('edited input')]);
    await assay(['report', runId, '--format', 'json', '-o', 'out'], { cwd });
    const exported = await assay(['compare', original, 'out/run.json', '--force'], { cwd });
    expect([exported.exitCode, exported.stdout]).toEqual([2, expect.stringContaining('never evidence')]);

    const wrong = [{}, { messages: [] }, { unknown: 1 }, [1]];
    for (const body of wrong)
      expect([body, (await post(`/api/trials/${two?.trialId}/rerun`, body)).status]).toEqual([body, 400]);
    const wrongTalk = [{ input: 'text' }, { messages: [{ role: 'nobody' }] }];
    for (const body of wrongTalk)
      expect([body, (await post(`/api/trials/${talk?.trialId}/rerun`, body)).status]).toEqual([body, 400]);
    expect((await post('/api/trials/t-none/rerun', { input: 1 })).status).toBe(404);
  });
});
