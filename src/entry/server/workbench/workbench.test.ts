import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startHttpServer } from '../../../testing/fakes/mcp/start-http-server.ts';
import { type ServedProject, serveFiles } from '../../../testing/fakes/server/served-project.ts';
import { IssuedTokens } from '../access/issued-tokens.ts';
import type {
  Activity,
  AddedTest,
  AppDetail,
  HandCall,
  ServerRequestItem,
  TestPlaces,
  WorkbenchSessionDetail,
} from '../api/workbench.ts';
import { Workbench } from './workbench.ts';

const program = fileURLToPath(new URL('../../../testing/fakes/mcp/suite-server.mjs', import.meta.url));
const charts = fileURLToPath(new URL('../../../testing/fakes/mcp/app-server.mjs', import.meta.url));
const label = 'node server.mjs';
const file = 'scenarios/server.yaml';
const modernFile = 'scenarios/modern.yaml';
const refusal = { error: { code: -1, message: 'User rejected sampling request' } };
const suite = `# Tests of the server.
server: { transport: stdio, command: node, args: [server.mjs], env: { API_KEY: sk-abcdef0123456789abcdef0123456789 } }
toolHealthSuites:
  - name: Sums # kept
    tests:
      - { name: add, args: { a: 1, b: 2 }, expectedResult: 3 }
`;

const modernSuite = `server: { transport: stdio, command: node, args: [server.mjs, modern] }
toolHealthSuites: [{ name: Newer sums, tests: [{ name: add, args: { a: 1, b: 2 }, expectedResult: 3 }] }]
`;

describe('sessions with MCP servers by hand', () => {
  let served: ServedProject;
  let session: WorkbenchSessionDetail;
  beforeAll(async () => {
    served = await serveFiles({
      'assay.config.yaml': 'scenarios: [scenarios]\n',
      'server.mjs': `await import(${JSON.stringify(program)});\n`,
      'charts.mjs': `await import(${JSON.stringify(charts)});\n`,
      [file]: suite,
      [modernFile]: modernSuite,
    });
    session = await opened({ label, file });
  });
  afterAll(() => served[Symbol.asyncDispose]());

  const address = (path = ''): string => `/api/mcp/sessions/${session.id}${path}`;
  const post = async <Answer>(path: string, body: unknown, status = 201): Promise<Answer> => {
    const response = await served.send('POST', path, body);
    const answer = (await response.json()) as Answer;
    expect([response.status, answer]).toEqual([status, answer]);
    return answer;
  };

  /** The first activity that is as wanted; each request waits for the next change. */
  async function until(id: string, isWanted: (seen: Activity) => boolean): Promise<Activity> {
    for (let after = 0; ; ) {
      const path = `/api/mcp/sessions/${id}/activity`;
      const whole = await served.get<Activity>(path);
      if (isWanted(whole)) return whole;
      after = whole.sequence;
      await served.get<Activity>(`${path}?after=${after}&waitMs=20000`);
    }
  }

  async function opened(body: unknown): Promise<WorkbenchSessionDetail> {
    const { id } = await post<WorkbenchSessionDetail>('/api/mcp/sessions', body);
    await until(
      id,
      ({ status, detailSequence }) => status !== 'connecting' && (status === 'broken' || detailSequence > 0),
    );
    return served.get<WorkbenchSessionDetail>(`/api/mcp/sessions/${id}`);
  }

  async function called(method: string, params: unknown): Promise<HandCall> {
    const { id } = await post<HandCall>(address('/calls'), { method, params });
    return ended(id);
  }

  async function ended(id: string): Promise<HandCall> {
    const { calls } = await until(session.id, (seen) =>
      seen.calls.some((call) => call.id === id && call.state !== 'open'),
    );
    return calls.find((call) => call.id === id) as HandCall;
  }

  /** Calls a tool, and gives the answers to the requests of the server one after the other. */
  async function calledWithAnswers(
    params: object,
    ...answers: readonly object[]
  ): Promise<{ readonly call: HandCall; readonly requests: readonly ServerRequestItem[] }> {
    const { id } = await post<HandCall>(address('/calls'), { method: 'tools/call', params });
    const requests: ServerRequestItem[] = [];
    for (const answer of answers) {
      const request = await waitingRequest(requests);
      requests.push(request);
      await post(address(`/requests/${request.id}/answer`), answer, 200);
    }
    return { call: await ended(id), requests };
  }

  async function waitingRequest(known: readonly ServerRequestItem[] = []): Promise<ServerRequestItem> {
    const isNew = ({ id, state }: ServerRequestItem): boolean =>
      state === 'waiting' && !known.some((other) => other.id === id);
    const { requests } = await until(session.id, (current) => current.requests.some(isNew));
    return requests.find(isNew) as ServerRequestItem;
  }

  /** Uses another session for a while. */
  async function during(body: unknown, use: () => Promise<void>): Promise<void> {
    const before = session;
    session = await opened(body);
    await use().finally(() => {
      session = before;
    });
  }

  const framesOf = async (direction: string): Promise<string[]> =>
    (await until(session.id, () => true)).frames
      .filter((frame) => frame.direction === direction)
      .map(({ text }) => text);

  it('list all that the server offers, and keep every frame', async () => {
    expect(session).toMatchObject({ label, file, status: 'open', facts: { name: 'suite-server' }, problem: null });
    expect(session.tools.items.map(({ name }) => name)).toContain('ask-user');
    expect(session.prompts.items).toHaveLength(2);
    expect(session.resources.items.map(({ uri }) => uri)).toEqual(['note://a', 'note://data']);
    expect(session.resourceTemplates.items).toHaveLength(1);
    const { frames } = await until(session.id, () => true);
    expect(frames.map(({ direction, summary }) => `${direction} ${summary}`)).toEqual(
      expect.arrayContaining(['to-server tools/list', 'from-server result of tools/list']),
    );
    expect((await served.get<{ items: unknown[] }>('/api/mcp/sessions')).items).toHaveLength(1);
  });

  it('call tools, read resources, get prompts, and say how each ended', async () => {
    expect(await called('tools/call', { name: 'add', arguments: { a: 2, b: 40 } })).toMatchObject({
      state: 'result',
      result: { content: [{ type: 'text', text: '42' }] },
      testPart: 'tool',
    });
    expect(await called('tools/call', { name: 'nothing', arguments: {} })).toMatchObject({
      state: 'error',
      error: { code: -32_602, message: 'Tool nothing not found' },
    });
    expect(await called('resources/read', { uri: 'note://a' })).toMatchObject({ testPart: 'resource' });
    expect(await called('prompts/get', { name: 'greet', arguments: { name: 'Ann' } })).toMatchObject({
      testPart: 'prompt',
    });
    expect(await called('nothing/here', {})).toMatchObject({ state: 'error', testPart: null });
    const waiting = await post<HandCall>(address('/calls'), { method: 'tools/call', params: { name: 'wait' } });
    expect(waiting.state).toBe('open');
    await post(address(`/calls/${waiting.id}/cancel`), {}, 200);
    expect(await ended(waiting.id)).toMatchObject({
      state: 'cancelled',
      testPart: null,
      whyNoTest: 'It was cancelled.',
    });
  });

  it('let a user answer what the server asks', async () => {
    const answer = { result: { action: 'accept', content: { name: 'Ann' } } };
    const user = await calledWithAnswers({ name: 'ask-user' }, answer);
    expect(user.requests).toMatchObject([{ method: 'elicitation/create', params: { message: 'What is your name?' } }]);
    expect(user.call).toMatchObject({ result: { content: [{ text: 'Hello Ann' }] }, testPart: 'elicitation' });
    await post(address(`/requests/${user.requests[0]?.id}/answer`), answer, 404);
    const model = await calledWithAnswers({ name: 'ask-model', arguments: { question: 'Why?' } }, refusal);
    expect(model.call).toMatchObject({ result: { isError: true }, testPart: 'sampling' });
  });

  it('add calls to suites, and leave the rest of the file as it is', async () => {
    const places = await served.get<TestPlaces>(address('/test-places'));
    expect(places.files).toEqual([{ file, suites: [{ part: 'tool', name: 'Sums' }], whyNot: null }]);
    const { calls } = await until(session.id, () => true);
    const add = (call: HandCall | undefined, body: object, status = 201) =>
      post<AddedTest>(address(`/calls/${call?.id}/test`), { file, suite: 'Sums', name: 'a test', ...body }, status);
    await add(
      calls.find(({ testPart }) => testPart === 'tool'),
      { name: 'the answer' },
    );
    const parts = ['resource', 'prompt', 'elicitation', 'sampling'] as const;
    for (const part of parts)
      await add(
        calls.find(({ testPart }) => testPart === part),
        { suite: `By hand: ${part}` },
      );
    const text = await readFile(`${served.folder}/${file}`, 'utf8');
    expect(text.startsWith(suite.slice(0, suite.indexOf('toolHealthSuites')))).toBe(true);
    expect(text).toContain('- name: Sums # kept');
    expect(text).toMatch(/description: the answer\n\s+args:\n\s+a: 2\n\s+b: 40\n\s+expectedResult: 42/);
    expect(text).toMatch(/respond:\n\s+action: accept\n\s+content:\n\s+name: Ann\n\s+expectedResult: Hello Ann/);
    expect(text).toMatch(/simulateUserResponse: reject\n\s+expectedError:/);
    expect(text).toMatch(/uri: note:\/\/a\n\s+expectedMimeType: text\/markdown; charset=utf-8/);
    const cancelled = calls.find(({ state }) => state === 'cancelled');
    expect(await add(cancelled, {}, 400)).toMatchObject({ error: 'This call cannot become a test. It was cancelled.' });
    const [first] = calls;
    expect(await add(first, { file: 'scenarios/other.yaml' }, 400)).toMatchObject({
      error: `scenarios/other.yaml does not name the server "${label}".`,
    });
    expect(await readFile(`${served.folder}/${file}`, 'utf8')).toBe(text);
  });

  it('write no secret into a file, and show none', async () => {
    const secret = 'sk-abcdef0123456789abcdef0123456789';
    const call = await called('tools/call', { name: 'echo', arguments: { value: secret } });
    expect(JSON.stringify(await until(session.id, () => true))).not.toContain(secret);
    const refused = await post<{ error: string }>(
      address(`/calls/${call.id}/test`),
      { file, suite: 'Sums', name: 'x' },
      400,
    );
    expect(refused.error).toBe('This call has a secret in it, which is not written to a file.');
  });

  it('start typed servers for editors only, and put their tests into new files', async () => {
    const token = await new IssuedTokens(served.folder).create('a-runner', 'runner');
    const refused = await served.request('/api/mcp/sessions', {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ address: 'node server.mjs' }),
    });
    expect([refused.status, await refused.json()]).toMatchObject([403, { neededRole: 'editor' }]);
    await post('/api/mcp/sessions', { label: 'node servr.mjs' }, 404);
    await post('/api/mcp/sessions', { address: 'http://' }, 400);
    const before = session;
    session = await opened({ address: 'node server.mjs tools-only' });
    expect(session).toMatchObject({ file: null, status: 'open', prompts: { items: [] } });
    const { newFile, newSuite } = await served.get<TestPlaces>(address('/test-places'));
    expect([newFile, newSuite]).toEqual(['scenarios/server-2.yaml', 'By hand']);
    const call = await called('tools/call', { name: 'add', arguments: { a: 1, b: 1 } });
    const body = { file: 'scenarios/typed.yaml', suite: newSuite, name: 'one and one' };
    await post(address(`/calls/${call.id}/test`), { ...body, file: 'elsewhere/typed.yaml' }, 400);
    await post(address(`/calls/${call.id}/test`), { ...body, file: '../typed.yaml' }, 400);
    await post(address(`/calls/${call.id}/test`), body);
    const places = await served.get<TestPlaces>(address('/test-places'));
    expect(places).toMatchObject({ files: [{ file: body.file }], newSuite: 'By hand 2' });
    expect(await readFile(`${served.folder}/${body.file}`, 'utf8')).toContain('cwd: ..');
    expect((await served.send('DELETE', address())).status).toBe(200);
    expect((await served.request(address())).status).toBe(404);
    session = before;
  });

  it('use a server of 2026-07-28 over stdio, and let a user answer each round of a call', async () => {
    await during({ label: `${label} modern`, file: modernFile }, async () => {
      expect(session).toMatchObject({ status: 'open', facts: { protocolVersion: '2026-07-28' }, notices: [] });
      expect(session.tools.items.map(({ name }) => name)).toContain('ask-user');
      expect([session.prompts.items.length, session.resources.items.length]).toEqual([2, 2]);
      const sum = await called('tools/call', { name: 'add', arguments: { a: 2, b: 40 } });
      expect(sum).toMatchObject({ state: 'result', result: { content: [{ text: '42' }] }, testPart: 'tool' });

      const name = { result: { action: 'accept', content: { name: 'Ann' } } };
      const user = await calledWithAnswers({ name: 'ask-user' }, name);
      expect(user.requests).toMatchObject([
        { method: 'elicitation/create', params: { message: 'What is your name?' } },
      ]);
      expect(user.call).toMatchObject({ result: { content: [{ text: 'Hello Ann' }] }, testPart: 'elicitation' });
      await post(address(`/calls/${user.call.id}/test`), { file: modernFile, suite: 'Questions', name: 'a name' });
      expect(await readFile(`${served.folder}/${modernFile}`, 'utf8')).toMatch(/respond:\n\s+action: accept/);

      const reply = (text: string) => ({ result: { role: 'assistant', model: 'me', content: { type: 'text', text } } });
      const checking = { name: 'ask-model', arguments: { question: 'Why?', mode: 'checking' } };
      const model = await calledWithAnswers(checking, reply('Because'), reply('True'));
      expect(model.requests.map(({ params }) => JSON.stringify(params))).toEqual([
        expect.stringContaining('"Why?"'),
        expect.stringContaining('"Check this: Because"'),
      ]);
      expect(model.call).toMatchObject({ result: { content: [{ text: 'Checked: True' }] }, testPart: null });

      const refused = await calledWithAnswers(checking, refusal);
      expect(refused.call).toMatchObject({ state: 'failed', error: { code: 'MCP_INPUT_REFUSED' }, testPart: null });
      const given = await post<HandCall>(address('/calls'), { method: 'tools/call', params: { name: 'ask-user' } });
      const { id } = await waitingRequest();
      await post(address(`/calls/${given.id}/cancel`), {}, 200);
      expect(await ended(given.id)).toMatchObject({ state: 'cancelled' });
      const { requests } = await until(session.id, (seen) => seen.requests.every(({ state }) => state !== 'waiting'));
      expect(requests.find((request) => request.id === id)).toMatchObject({ state: 'withdrawn', answer: null });
    });
  });

  it('show what a server of 2026-07-28 sends, and declare to it what the pages can show', async () => {
    await during({ address: 'node server.mjs modern features' }, async () => {
      const sent = await framesOf('to-server');
      // On a slow machine the older era of the server is tried too.
      expect(sent.filter((text) => text.includes('"method":"ping"'))).toEqual([]);
      expect((await served.get<WorkbenchSessionDetail>(address())).facts?.protocolVersion).toBe('2026-07-28');
      const extensions = ['tasks', 'ui'].map((name) => `io.modelcontextprotocol/${name}`);
      for (const name of extensions) expect(sent[0]).toContain(`"${name}"`);
      await called('tools/call', { name: 'report', arguments: {} });
      expect(await framesOf('from-server')).toContainEqual(expect.stringContaining('made 2 steps'));
      await called('tools/call', { name: 'change', arguments: { announced: true } });
      const isListed = async (): Promise<boolean> =>
        (await served.get<WorkbenchSessionDetail>(address())).tools.items.some(({ name }) => name === 'late');
      for (let after = 0; !(await isListed()); )
        after = (await served.get<Activity>(address(`/activity?after=${after}&waitMs=20000`))).sequence;
      expect(await called('server/discover', {})).toMatchObject({ state: 'result' });
    });
  });

  it('use a server of 2026-07-28 over HTTP, with its headers and its rounds', async () => {
    await using server = await startHttpServer();
    const definition = server.define('shttp', 'good', {}, 'modern');
    await during({ address: 'url' in definition ? definition.url : '' }, async () => {
      expect(session).toMatchObject({ transport: 'shttp', status: 'open', facts: { protocolVersion: '2026-07-28' } });
      const text = 'Grüße, or a header that is wrong';
      const echo = await called('tools/call', { name: 'echo', arguments: { text } });
      expect(echo).toMatchObject({ state: 'result', result: { content: [{ text }] }, testPart: 'tool' });
      const answer = { role: 'assistant', model: 'me', content: { type: 'text', text: 'By hand' } };
      const sampled = await calledWithAnswers({ name: 'ask' }, { result: answer });
      expect(sampled.call).toMatchObject({
        result: { content: [{ text: JSON.stringify(answer) }] },
        testPart: 'sampling',
      });
      const hanging = await post<HandCall>(address('/calls'), { method: 'tools/call', params: { name: 'hang' } });
      await post(address(`/calls/${hanging.id}/cancel`), {}, 200);
      expect(await ended(hanging.id)).toMatchObject({ state: 'cancelled' });
      expect((await served.send('DELETE', address())).status).toBe(200);
    });
  });

  it('give the page of an app a policy that allows only what it declares', async () => {
    const { id } = await opened({ address: 'node charts.mjs' });
    const apps = `/api/mcp/sessions/${id}/apps`;
    const app = await post<AppDetail>(apps, { uri: 'ui://charts/chart' });
    expect(app).toMatchObject({ domains: { connectDomains: ['https://api.example.com'] }, permissions: ['camera'] });
    expect(app.problems).toEqual([expect.stringContaining('which is not an origin')]);
    const page = await served.request(`${apps}/${app.id}/page`);
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).toBe(app.policy);
    expect(policy.split('; ')).toEqual(
      expect.arrayContaining([
        'sandbox allow-scripts',
        "default-src 'none'",
        "script-src 'unsafe-inline'",
        'connect-src https://api.example.com',
        "frame-ancestors 'self'",
      ]),
    );
    expect(policy).not.toContain('unsafe-eval');
    expect(page.headers.get('x-frame-options')).toBe('SAMEORIGIN');
    expect((await served.request('/api/status')).headers.get('x-frame-options')).toBe('DENY');
    await post(apps, { uri: 'ui://charts/plain' }, 400);
    await post(apps, { uri: 'https://example.com' }, 400);
    const fromApp = { by: 'app', isAwaited: true, params: { name: 'secret' } };
    await post(`/api/mcp/sessions/${id}/calls`, { ...fromApp, method: 'tools/call' }, 400);
    await post(`/api/mcp/sessions/${id}/calls`, { ...fromApp, method: 'tools/list' }, 400);
    const chart = { ...fromApp, method: 'tools/call', params: { name: 'chart', arguments: { title: 'x' } } };
    expect(await post<HandCall>(`/api/mcp/sessions/${id}/calls`, chart)).toMatchObject({ by: 'app', state: 'result' });
  });

  it('show at once that a server died between two calls', async () => {
    await during({ address: 'node server.mjs tools-only' }, async () => {
      expect(await called('tools/call', { name: 'leave' })).toMatchObject({ state: 'result' });
      await until(session.id, ({ status }) => status === 'broken');
      expect(await served.get(address())).toMatchObject({ status: 'broken', problem: { code: 'MCP_SERVER_DIED' } });
    });
  });

  it('are at most ten, and end 15 minutes after they were last looked at', async () => {
    let now = 0;
    const { project } = served.context;
    const env = { PATH: process.env.PATH };
    const context = { folder: served.folder, env, project, scenarios: async () => [], now: () => now };
    await using workbench = new Workbench(context);
    const openings = Array.from({ length: 11 }, () => workbench.open({ address: 'true' }));
    const results = await Promise.allSettled(openings);
    const refused = results.filter(({ status }) => status === 'rejected');
    expect(refused).toMatchObject([{ reason: { code: 'TOO_MANY_SESSIONS', status: 409 } }]);
    const [first, ...others] = workbench.list().items.map(({ id }) => workbench.find(id));
    expect(others).toHaveLength(9);
    now += 10 * 60_000;
    await first?.changes(0, 0, new AbortController().signal);
    now += 5 * 60_000;
    await workbench.endIdle();
    expect(workbench.list().items).toHaveLength(10);
    now += 1;
    await workbench.endIdle();
    expect(workbench.list().items.map(({ id }) => id)).toEqual([first?.settings.id]);
    expect(others.map(({ status }) => status)).toEqual(Array(9).fill('closed'));
  });

  it('say why a server could not be reached, with what it sent', async () => {
    const dead = await opened({ address: 'node server.mjs dead' });
    expect(dead).toMatchObject({ status: 'broken', facts: null, problem: { code: 'MCP_SERVER_NOT_STARTED' } });
    await post(`/api/mcp/sessions/${dead.id}/calls`, { method: 'ping' }, 400);
    const { frames } = await until(dead.id, () => true);
    expect(frames[0]).toMatchObject({ direction: 'to-server' });
    await called('tools/call', { name: 'crash' });
    expect(await served.get(address())).toMatchObject({ status: 'broken', problem: { code: 'MCP_SERVER_DIED' } });
  });
});
