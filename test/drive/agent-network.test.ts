import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { eventsOf, type Trace } from '../../src/domain/trace.ts';
import { type ScriptSource, startScriptedModel } from '../../src/drive/models/scripted/index.ts';
import { assayInProcess } from '../../src/testing/support/assay-in-process.ts';
import type { ToolTrial } from '../../src/testing/support/cli-tool-project.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

/** Tries every way out of a trial that it knows, calls the tool, and writes down what it reached. */
const agent = `
import { execFileSync } from 'node:child_process';
import { lookup } from 'node:dns/promises';
import { existsSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
const { ASSAY_BASE_URL: model, HTTP_PROXY: proxy, PORTS, STAYS_HERE } = process.env;
const ports = JSON.parse(PORTS);
const ask = (host, port, first = 'GET / HTTP/1.0\\r\\n\\r\\n') => new Promise((resolve) => {
  const socket = connect({ host, port, timeout: 2000 });
  let text = '';
  socket.on('connect', () => socket.write(first));
  socket.on('data', (data) => { text += data; });
  socket.on('close', () => resolve(text.split('\\r\\n\\r\\n').at(-1)));
  socket.on('timeout', () => { text = 'silence'; socket.destroy(); });
  socket.on('error', ({ code }) => { text = code; });
});
const through = (url) => proxy ? ask(new URL(proxy).hostname, new URL(proxy).port, 'GET ' + url + ' HTTP/1.0\\r\\n\\r\\n') : 'no proxy';
const reached = {
  secret: await ask('127.0.0.1', ports.secret),
  wanted: await ask('127.0.0.1', ports.wanted),
  metadata: STAYS_HERE ? '' : await ask('169.254.169.254', 80),
  elsewhere: STAYS_HERE ? '' : await ask('192.0.2.1', 80),
  name: STAYS_HERE ? '' : await lookup('example.com').then(() => 'found', ({ code }) => code),
  wantedThroughProxy: await through('http://localhost:' + ports.wanted + '/'),
  secretThroughProxy: await through('http://localhost:' + ports.secret + '/'),
  metadataThroughProxy: await through('http://169.254.169.254/'),
  sockets: ['/run/docker.sock', '/run/podman/podman.sock', '/var/run/dbus'].filter((path) => existsSync(path)),
};
if (model) {
  const body = JSON.stringify({ model: 'test-model', messages: [{ role: 'user', content: 'Hello' }] });
  const headers = { authorization: 'Bearer ' + process.env.ASSAY_API_KEY, 'content-type': 'application/json' };
  const response = await fetch(model + '/chat/completions', { method: 'POST', headers, body });
  reached.model = (await response.json()).choices?.[0].message.content;
}
execFileSync('true', ['called']);
writeFileSync('reached.json', JSON.stringify(reached));
`;

const closed = expect.stringMatching(/^(ECONNREFUSED|ENETUNREACH|EHOSTUNREACH)$/);

function serve(text: string): Server {
  return createServer((_, response) => response.end(text)).listen(0, '127.0.0.1');
}

const secret = serve('a secret of the machine');
const wanted = serve('a service for the trial');
const portOf = (server: Server): number => (server.address() as AddressInfo).port;
beforeAll(async () => {
  await Promise.all([secret, wanted].map((server) => server.listening || once(server, 'listening')));
});
afterAll(() => {
  for (const server of [secret, wanted]) {
    server.close();
    server.closeAllConnections();
  }
});

interface NetworkRun {
  readonly trial: ToolTrial;
  readonly reached: Readonly<Record<string, unknown>>;
  readonly trace: Trace;
}

interface RunOptions {
  readonly url?: string;
  readonly isolation?: string;
  readonly config?: object;
  /** Further flags of `assay run`. */
  readonly more?: readonly string[];
}

/** Runs the agent in a trial with this network; skips the test where bubblewrap does not work. */
async function runIn(
  { skip }: TestContext,
  scenario: object,
  { url, isolation = 'bubblewrap', config = {}, more = [] }: RunOptions = {},
): Promise<NetworkRun> {
  const model = url === undefined ? {} : { baseUrl: `${url}/v1`, apiKey: 'sk-of-the-test-0123456789' };
  const ports = JSON.stringify({ secret: portOf(secret), wanted: portOf(wanted) });
  const folder = await temporaryFolder({
    'agent.mjs': agent,
    'assay.config.yaml': JSON.stringify({
      isolation,
      agents: {
        mine: { kind: 'command', command: `${process.execPath} ${'${HERE}'}/agent.mjs`, format: 'text', ...model },
      },
      ...config,
    }),
    'scenario.yaml': JSON.stringify({
      name: 'Reach',
      // Nothing but the isolation keeps the agent from leaving this machine.
      target: {
        binary: 'true',
        env: { PORTS: ports, ...('network' in scenario && scenario.network === 'open' ? { STAYS_HERE: '1' } : {}) },
      },
      task: { prompt: 'Try.' },
      evaluation: { gates: [{ type: 'file_exists', path: 'reached.json' }] },
      ...scenario,
    }),
  });
  const flags = [
    '--json',
    '--no-cache',
    '--agent',
    'mine',
    ...(url === undefined ? [] : ['--model', 'test-model']),
    ...more,
  ];
  const run = await assayInProcess(['run', 'scenario.yaml', ...flags], { cwd: folder, env: { HERE: folder } });
  if (!run.stdout.startsWith('{')) throw new Error(run.stderr);
  const [trial] = (JSON.parse(run.stdout) as { trials: ToolTrial[] }).trials;
  if (!trial) throw new Error(run.stderr);
  skip(/Isolation "bubblewrap" is not available/.test(trial.fault?.message ?? ''), 'bubblewrap does not work here');
  const { trace } = JSON.parse((await assayInProcess(['show', trial.trialId, '--json'], { cwd: folder })).stdout);
  const file = join(folder, '.assay/artifacts', trial.artifacts ?? '', 'fixture/reached.json');
  const reached = trial.outcome === 'error' ? {} : JSON.parse(readFileSync(file, 'utf8'));
  return { trial, reached, trace };
}

const script: ScriptSource = { rules: [{ reply: 'Hello back.' }] };
const nothing = { secret: closed, metadata: closed, elsewhere: closed, name: expect.stringMatching(/^E/), sockets: [] };

describe('a trial in bubblewrap', () => {
  it('with `network: model-only` reaches its model and nothing else, and its calls are recorded', async (context) => {
    await using model = await startScriptedModel(script);
    const { trial, reached, trace } = await runIn(context, { network: 'model-only' }, { url: model.url });
    expect(trial.outcome).toBe('pass');
    expect(reached).toMatchObject({ ...nothing, wanted: closed, model: 'Hello back.', wantedThroughProxy: 'no proxy' });
    expect(eventsOf(trace, 'view')).toMatchObject([{ root: 'system', network: 'model-only' }]);
    expect(eventsOf(trace, 'model-call')).toHaveLength(1);
    expect(eventsOf(trace, 'command')).toMatchObject([{ argv: ['true', 'called'], exitCode: 0 }]);
  });

  it('with `network: none` in the config reaches nothing', async (context) => {
    const { trial, reached } = await runIn(context, {}, { config: { network: 'none' } });
    expect(trial.outcome).toBe('pass');
    expect(reached).toMatchObject({ ...nothing, wanted: closed });
  });

  it('with an allow-list reaches the hosts on it, also through its proxy', async (context) => {
    const network = { allow: [`localhost:${portOf(wanted)}`] };
    const { trial, reached, trace } = await runIn(context, { network }, { config: { network: 'none' } });
    expect(trial.outcome).toBe('pass');
    expect(reached).toMatchObject({
      ...nothing,
      wanted: 'a service for the trial',
      wantedThroughProxy: 'a service for the trial',
      secretThroughProxy: expect.stringContaining('does not allow'),
      metadataThroughProxy: expect.stringContaining('does not allow'),
    });
    expect(eventsOf(trace, 'notice').map(({ message }) => message)).toEqual([
      `The network of the trial refused a connection to localhost:${portOf(secret)}.`,
      'The network of the trial refused a connection to 169.254.169.254:80.',
    ]);
  });

  it('with `network: open` reaches the services of this machine', async (context) => {
    const { reached, trace } = await runIn(context, { network: 'open' }, { config: { network: 'none' } });
    expect(reached).toMatchObject({ secret: 'a secret of the machine' });
    expect(eventsOf(trace, 'view')).toMatchObject([{ network: 'open' }]);
  });
});

describe('an agent whose model calls cannot be replayed', () => {
  it.for([{ network: 'open' }, { network: { allow: ['localhost'] } }])(
    'reaches no provider in a replay, although the scenario says %j',
    async (scenario, context) => {
      const { trial, reached, trace } = await runIn(context, scenario, { more: ['--replay', await temporaryFolder()] });
      expect(trial.fault).toBeUndefined();
      expect(trial.outcome).toBe('pass');
      expect(reached).toMatchObject({ secret: closed, wanted: closed, wantedThroughProxy: 'no proxy', sockets: [] });
      expect(eventsOf(trace, 'view')).toMatchObject([{ network: 'model-only' }]);
      expect(eventsOf(trace, 'notice').map(({ message }) => message)).toEqual([
        'The model calls of "mine" do not go through the gateway: they are not replayed, and it has no network to reach a provider.',
      ]);
    },
  );
});

describe('a network that cannot be limited as wanted is an error, and the agent is not started', () => {
  it.each(['process', 'none'])('with isolation %s', async (isolation) => {
    const context = { skip: () => undefined } as unknown as TestContext;
    const { trial } = await runIn(context, { network: 'model-only' }, { isolation });
    expect(trial).toMatchObject({ outcome: 'error', fault: { code: 'ISOLATION_UNAVAILABLE' } });
    expect(trial.fault?.message).toContain(`cannot be enforced with isolation "${isolation}"`);
  });

  it.each(['process', 'none'])('with isolation %s, in a replay of an agent without a base URL', async (isolation) => {
    const context = { skip: () => undefined } as unknown as TestContext;
    const { trial } = await runIn(context, {}, { isolation, more: ['--replay', await temporaryFolder()] });
    expect(trial).toMatchObject({
      outcome: 'error',
      fault: { code: 'REPLAY_MISS', hint: expect.stringContaining('Set `baseUrl` of the agent, or use `isolation: ') },
    });
    expect(trial.fault?.message).toContain(
      `do not go through the gateway, and isolation "${isolation}" cannot keep it from its provider`,
    );
  });

  it('without a way to its model', async (context) => {
    await using model = await startScriptedModel(script);
    const { trial } = await runIn(context, { network: 'none' }, { url: model.url });
    expect(trial).toMatchObject({ outcome: 'error', fault: { code: 'CONFIG_INVALID' } });
    expect(trial.fault?.message).toContain('cannot reach its model');
  });
});
