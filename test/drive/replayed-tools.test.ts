import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { eventsOf, type Trace } from '../../src/domain/trace.ts';
import { startHttpServer } from '../../src/testing/fakes/mcp/start-http-server.ts';
import { stdioDefinition } from '../../src/testing/fakes/mcp/stdio-definition.ts';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { driven, server, trialsIn } from '../../src/testing/support/mcp-project.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const env = { OPENAI_API_KEY: 'sk-any', TASKS_API_KEY: 'k9-very-secret-0815' };
const test = (name: string, args: object, expected: object) => ({ name, args, ...expected });
const recorded = [
  test('list', {}, { expectedResult: 'no tasks' }),
  test('add', { title: 'tea' }, { expectedResult: { z: 1, a: 1e21, 2: 'two' } }),
  test('list', {}, { expectedResult: 'tea' }),
  test('fail', {}, { expectedError: 'out of paper' }),
];

async function project(tests: readonly object[] = recorded, more: object = {}): Promise<string> {
  const source = await readFile(fileURLToPath(new URL('../../src/testing/support/tasks-server.mjs', import.meta.url)));
  const folder = await temporaryFolder({ 'server.mjs': source });
  await scenario(folder, tests, more);
  return folder;
}

function scenario(folder: string, tests: readonly object[], more: object = {}): Promise<void> {
  const config = { server, toolHealthSuites: [{ name: 'Tasks', tests }], ...more };
  return writeFile(join(folder, 'tasks.json'), JSON.stringify(config, null, 2));
}

function run(folder: string, ...flags: string[]) {
  return assay(['run', 'tasks.json', '--json', ...flags], { cwd: folder, env });
}

async function traceOf(folder: string, result: Awaited<ReturnType<typeof run>>): Promise<Trace> {
  const [trial] = trialsIn(result);
  const shown = await assay(['show', trial?.trialId ?? '', '--json'], { cwd: folder });
  return (JSON.parse(shown.stdout) as { trace: Trace }).trace;
}

/** Answers of tools as text, byte for byte. */
function answersIn(trace: Trace): string[] {
  return eventsOf(trace, 'tool-result').map(({ result, error }) => JSON.stringify([result, error]));
}

async function tapeOf(folder: string): Promise<{ readonly path: string; readonly text: string }> {
  const [name = ''] = await readdir(join(folder, 'rec'));
  const path = join(folder, 'rec', name);
  return { path, text: await readFile(path, 'utf8') };
}

describe('recorded calls of an MCP server', () => {
  it('answer in its absence with the same results, in the state that was reached, and give the same verdict', async () => {
    const folder = await project();
    const live = await run(folder, '--record-tools', 'rec');
    expect(trialsIn(live)).toMatchObject([{ outcome: 'pass' }]);
    const before = answersIn(await traceOf(folder, live));
    await rm(join(folder, 'server.mjs'));
    const replayed = await run(folder, '--replay-tools', 'rec');
    expect(trialsIn(replayed)).toMatchObject([{ outcome: 'pass', control: { replay: 4 } }]);
    const trace = await traceOf(folder, replayed);
    expect(before).toHaveLength(4);
    expect(answersIn(trace)).toEqual(before);
    expect(eventsOf(trace, 'tool-result').map(({ answeredBy }) => answeredBy)).toEqual(Array(4).fill('replay'));
    expect(eventsOf(trace, 'tool-tape')).toMatchObject([
      { place: expect.stringMatching(/^rec\/.*jsonl:2:1$/), masked: 0 },
    ]);
    const compared = await assay(['compare', 'latest~1', 'latest'], { cwd: folder });
    expect(compared).toMatchObject({ exitCode: 2, stdout: expect.stringContaining('real tools in A, replayed in B') });
  });

  it('do not answer in a state that was not reached, unless loosely', async () => {
    const [, ...added] = recorded;
    const folder = await project(added);
    await run(folder, '--record-tools', 'rec');
    const listed = [test('list', {}, { expectedResult: 'tea' })];
    await scenario(folder, listed);
    const [missed] = trialsIn(await run(folder, '--replay-tools', 'rec'));
    expect(missed).toMatchObject({ outcome: 'error', fault: { code: 'TOOL_REPLAY_MISS' } });
    expect(missed?.reason).toContain('was recorded in another state (calls of add came before it there)');
    // A miss beside a test that failed is not a failure of the server.
    await scenario(folder, [...added.map((one) => ({ ...one, expectedResult: 'other' })), ...listed]);
    expect(trialsIn(await run(folder, '--replay-tools', 'rec'))).toMatchObject([
      { outcome: 'error', fault: { code: 'TOOL_REPLAY_MISS' } },
    ]);
    await scenario(folder, listed, { replay: { match: 'loose' } });
    expect(trialsIn(await run(folder, '--replay-tools', 'rec'))).toMatchObject([{ outcome: 'pass' }]);
  });

  it('have no times of the tool, and make no baseline', async () => {
    const folder = await project([test('list', {}, { maxLatency: 60_000 })]);
    expect(trialsIn(await run(folder, '--record-tools', 'rec'))).toMatchObject([{ outcome: 'pass' }]);
    expect(await assay(['baseline', 'set'], { cwd: folder })).toMatchObject({ exitCode: 0 });
    const [replayed] = trialsIn(await run(folder, '--replay-tools', 'rec'));
    expect(replayed).toMatchObject({ outcome: 'error' });
    expect(replayed?.reason).toContain('The latency of "list" was not observed: a mock or a recording answered');
    expect((await assay(['show', 'latest'], { cwd: folder })).stdout).not.toMatch(/ ms on average|list +\d/);
    await scenario(folder, [test('list', {}, {})]);
    expect(trialsIn(await run(folder, '--replay-tools', 'rec'))).toMatchObject([{ outcome: 'pass' }]);
    const refused = await assay(['baseline', 'set'], { cwd: folder });
    expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('replayed') });
    const [real] = trialsIn(await run(folder, '--reuse'));
    expect(real).toMatchObject({ outcome: 'pass' });
    expect(real).not.toHaveProperty('control');
  });

  it('do not answer for a server that was changed', async () => {
    const folder = await project();
    await run(folder, '--record-tools', 'rec');
    const source = await readFile(join(folder, 'server.mjs'), 'utf8');
    await writeFile(
      join(folder, 'server.mjs'),
      source.replace("type: 'object',", "type: 'object', required: ['title'],"),
    );
    const [trial] = trialsIn(await run(folder, '--replay-tools', 'rec'));
    expect(trial).toMatchObject({ outcome: 'error', fault: { code: 'TOOL_REPLAY_MISS' } });
    expect(trial?.reason).toContain('server.mjs was changed');
  });

  it.each([
    [
      'error',
      { outcome: 'error', fault: { code: 'TOOL_REPLAY_MISS' } },
      /not recorded: \{"title":"cake"\}; the nearest recorded one is at rec\/.*:\d+:1/,
    ],
    ['tool-error', { outcome: 'fail' }, /This call is not in the recording/],
    ['real', { outcome: 'pass' }, /./],
  ])('a call that is not recorded: %s', async (miss, expected, reason) => {
    const folder = await project(recorded, { replay: { miss } });
    await run(folder, '--record-tools', 'rec');
    const cake = test('add', { title: 'cake' }, { expectedResult: 'added cake' });
    await scenario(folder, [...recorded, cake], { replay: { miss } });
    const [trial] = trialsIn(await run(folder, '--replay-tools', 'rec'));
    expect(trial).toMatchObject(expected);
    expect(JSON.stringify(trial)).toMatch(new RegExp(reason.source.replaceAll('"', '\\\\*"')));
  });

  it('of another version of the server are not mixed with its answers', async () => {
    const folder = await project(recorded, { replay: { miss: 'real' } });
    await run(folder, '--record-tools', 'rec');
    const cake = test('add', { title: 'cake' }, { expectedResult: 'added cake' });
    await writeFile(join(folder, 'version.txt'), '2');
    await scenario(folder, [...recorded, cake], { replay: { miss: 'real' } });
    const [trial] = trialsIn(await run(folder, '--replay-tools', 'rec'));
    expect(trial).toMatchObject({ outcome: 'error', fault: { code: 'TOOL_REPLAY_MISS' } });
    expect(trial?.reason).toMatch(/is of version 2, and its calls were recorded with 1 \(rec\/.*:3:1\)/);
  });

  it('hold no secret, and say where one is masked', async () => {
    const folder = await project([test('whoami', {}, {})]);
    const started = { ...server, env: { TASKS_API_KEY: `\${TASKS_API_KEY}` } };
    await scenario(folder, [test('whoami', {}, {})], { server: started });
    await run(folder, '--record-tools', 'rec');
    const { text } = await tapeOf(folder);
    expect(text).not.toContain(env.TASKS_API_KEY);
    expect(text).toContain('in <assay:scenario>');
    expect(text).not.toContain(folder);
    const trace = await traceOf(folder, await run(folder, '--replay-tools', 'rec'));
    expect(eventsOf(trace, 'tool-tape')).toMatchObject([{ masked: 1 }]);
    expect(eventsOf(trace, 'tool-control')).toMatchObject([
      { what: 'answered from the recording, where a secret is masked' },
    ]);
  });

  it('that were changed are refused with their place, before anything is run', async () => {
    const folder = await project();
    await run(folder, '--record-tools', 'rec');
    const { path, text } = await tapeOf(folder);
    const refused = async (edited: string) => {
      await writeFile(path, edited);
      const { exitCode, stderr } = await run(folder, '--replay-tools', 'rec');
      return `${exitCode} ${stderr}`;
    };
    expect(await refused(text.replace('added tea', 'added ham'))).toMatch(
      /^2 [\s\S]*rec\/.*\.jsonl:\d+:\d+: this line was changed/,
    );
    expect(await refused(text.slice(0, -20))).toMatch(/^2 [\s\S]*rec\/.*\.jsonl:\d+:\d+: /);
    expect(await refused(text.replace('"version":1', '"version":7'))).toMatch(
      /^2 [\s\S]*rec\/.*:1:\d+: .*only version 1/,
    );
    expect(await refused(text.replace(/\{"kind":"call".*\n/, ''))).toMatch(
      /^2 [\s\S]*:2:\d+: lines of this take were added/,
    );
    await writeFile(path, text);
    await rm(join(folder, 'rec'), { recursive: true });
    expect(await run(folder, '--replay-tools', 'rec')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('There are no recordings of tool calls in rec.'),
    });
    const runs = await assay(['runs', '--json'], { cwd: folder });
    expect(JSON.parse(runs.stdout)).toHaveLength(1);
  });

  it('are for one machine and one direction', async () => {
    const folder = await project();
    const both = await run(folder, '--replay-tools', 'rec', '--record-tools', 'rec');
    expect(both).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('cannot be combined') });
    const workers = ['--distributed', '--store', 'postgres://nobody@127.0.0.1:1/none'];
    const shared = await run(folder, '--record-tools', 'rec', ...workers);
    expect(shared).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--record-tools cannot be combined') });
  });

  it('answer an agent through its proxy, also after it started its server again', async () => {
    const folder = await project();
    const agent = new URL('../../src/testing/support/mcp-agent.mjs', import.meta.url);
    const user = 'call add {"title":"tea"}\ncall list {}\ncall fail {}';
    const workflows = [{ name: 'Talk', steps: [{ user, expectTools: ['list', 'add'], expectedState: 'tea' }] }];
    const twice = `sh -c "node ${folder}/agent.mjs && ASSAY_PROMPT='call list {}' node ${folder}/agent.mjs"`;
    const config = { isolation: 'none', agent: 'mine', agents: { mine: { command: twice } } };
    await writeFile(join(folder, 'agent.mjs'), await readFile(agent));
    await writeFile(join(folder, 'assay.config.json'), JSON.stringify(config));
    await writeFile(join(folder, 'tasks.json'), JSON.stringify({ server, workflows }));
    const live = await run(folder, '--agent', 'mine', '--record-tools', 'rec');
    const ofServer = (trace: Trace) => trace.filter(({ seenBy }) => seenBy === 'recorder');
    const before = answersIn(ofServer(await traceOf(folder, live)));
    expect(before).toHaveLength(4);
    await rm(join(folder, 'server.mjs'));
    const replayed = await run(folder, '--agent', 'mine', '--replay-tools', 'rec');
    const [then] = trialsIn(live);
    expect(trialsIn(replayed)).toMatchObject([{ outcome: then?.outcome, control: { replay: 4 } }]);
    expect(answersIn(ofServer(await traceOf(folder, replayed)))).toEqual(before);
  });

  it('answer over every transport and in both eras of the protocol', async () => {
    const folder = await temporaryFolder({});
    const names = ['stdio-modern', 'http', 'sse', 'http-modern'];
    const tests = [
      test('echo', { text: 'tea' }, { expectedResult: 'tea' }),
      test('log', { text: 'noted' }, {}),
      test('fail', {}, { expectedError: '' }),
      test('echo', { text: 'cake' }, { expectedResult: 'cake' }),
    ];
    const write = (servers: readonly object[], more: object = {}) =>
      Promise.all(
        servers.map((definition, index) => {
          const suites = [{ name: names[index], tests }];
          const config = { server: definition, toolHealthSuites: suites, ...more };
          return writeFile(join(folder, `${names[index]}.json`), JSON.stringify(config));
        }),
      );
    const files = names.map((name) => `${name}.json`);
    const all = async (...flags: string[]) => {
      const result = await assay(['run', ...files, '--json', ...flags], { cwd: folder, env });
      const traces = trialsIn(result).map(async ({ trialId, scenario: name, outcome }) => {
        const shown = await assay(['show', trialId, '--json'], { cwd: folder });
        const { trace } = JSON.parse(shown.stdout) as { trace: Trace };
        const [server] = eventsOf(trace, 'mcp-server');
        return { name, outcome, protocol: server?.protocolVersion, answers: answersIn(trace) };
      });
      return Promise.all(traces);
    };
    const http = await startHttpServer();
    const [shttp, sse] = [http.define('shttp', 'good'), http.define('sse', 'good')];
    const modern = http.define('shttp', 'good', {}, 'modern');
    const stdio = stdioDefinition('good', {}, 'modern');
    await write([stdio, shttp, sse, modern]);
    const live = await all('--record-tools', 'rec');
    await http[Symbol.asyncDispose]();
    expect(live.map(({ protocol }) => protocol)).toEqual(['2026-07-28', '2025-11-25', '2025-11-25', '2026-07-28']);
    expect(live.map(({ outcome }) => outcome)).toEqual(Array(4).fill('pass'));
    expect(live.map(({ answers }) => answers.length)).toEqual([4, 4, 4, 4]);
    await write([{ ...stdio, args: ['absent.mjs'] }, shttp, sse, modern], { replay: { match: 'loose' } });
    expect(await all('--replay-tools', 'rec')).toEqual(live);
  });

  it('answer a model, and a run that is resumed keeps them', async () => {
    const steps = [{ user: 'Add tea', expectTools: ['add'], expectedState: 'Done' }];
    const workflows = [{ name: 'Adding', repeat: 2, steps }];
    const folder = await temporaryFolder({});
    const from = await project();
    await writeFile(join(folder, 'server.mjs'), await readFile(join(from, 'server.mjs')));
    await writeFile(join(folder, 'tasks.json'), JSON.stringify({ server, model: 'openai/gpt-4o', workflows }));
    const rules = [
      { when: { toolResult: 'added tea' }, reply: 'Done' },
      { when: { last: 'Add tea' }, toolCalls: [{ name: 'add', input: { title: 'tea' } }] },
    ];
    const drive = (...args: string[]) => driven({ folder, args: ['run', '--json', ...args], rules, env });
    await drive('tasks.json', '--record-tools', 'rec');
    await rm(join(folder, 'server.mjs'));
    const replayed = await drive('tasks.json', '--replay-tools', 'rec');
    const expected = [1, 2].map(() => ({ outcome: 'pass', control: { replay: 1 } }));
    expect(trialsIn(replayed)).toMatchObject(expected);
    const resumed = await drive('--resume', 'latest', '--retry-errors');
    expect(trialsIn(resumed)).toMatchObject(expected);
    const rescored = await driven({ folder, args: ['rescore', 'latest', '--json'], rules, env });
    expect(trialsIn(rescored)).toMatchObject(expected);
  });
});
