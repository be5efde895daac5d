import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { programFile } from '../../src/compose/program.ts';
import { eventsOf } from '../../src/domain/trace.ts';
import { startScriptedModel } from '../../src/drive/models/scripted/index.ts';
import { assay } from '../../src/testing/support/assay.ts';
import { temporaryFolder, writeFiles } from '../../src/testing/support/temporary-folder.ts';
import { makeImage, runEngine } from './container-image.ts';

const image = 'localhost/assay-tests:latest';
beforeAll(() => makeImage(image));

const usualEngine = process.env.ASSAY_CONTAINER_ENGINE ?? 'podman';
const engineEnvironment = { ASSAY_CONTAINER_ENGINE: usualEngine };

async function project(agent: string, scenario: object = {}, settings: object = {}): Promise<string> {
  return temporaryFolder({
    'agent.mjs': agent,
    'assay.config.yaml': JSON.stringify({
      isolation: 'container',
      image,
      agents: { mine: { kind: 'command', command: 'node ${HERE}/agent.mjs', format: 'text', ...settings } },
    }),
    'scenario.yaml': JSON.stringify({
      name: 'Contained',
      target: { binary: 'only-here' },
      task: { prompt: 'Work.' },
      evaluation: { gates: [{ type: 'file_exists', path: 'seen.json' }] },
      ...scenario,
    }),
  });
}

/** An engine that fails every other time while the view of the agent is searched, as if a mounted file was gone by then. */
async function failingEngine(): Promise<string> {
  const folder = await temporaryFolder({
    'podman-failing': `#!/bin/sh
case "$*" in run*/tried/*)
  echo started >> "$0.log"
  if [ $(($(wc -l < "$0.log") % 2)) -eq 1 ]; then echo 'Error: statfs /gone: no such file or directory' >&2; exit 125; fi ;;
esac
exec ${usualEngine} "$@"
`,
  });
  chmodSync(join(folder, 'podman-failing'), 0o755);
  return join(folder, 'podman-failing');
}

async function run(
  folder: string,
  flags: readonly string[] = [],
  { file = 'scenario.yaml', engine = usualEngine } = {},
) {
  const env = { HERE: folder, ASSAY_CONTAINER_ENGINE: engine };
  const args = ['run', file, '--json', '--no-cache', '--agent', 'mine', ...flags];
  const { stdout, stderr } = await assay(args, { cwd: folder, env });
  if (!stdout.startsWith('{')) throw new Error(stderr);
  const [trial] = JSON.parse(stdout).trials;
  const { trace } = JSON.parse((await assay(['show', trial.trialId, '--json'], { cwd: folder })).stdout);
  const seenFile = join(folder, '.assay/artifacts', trial.artifacts ?? '', 'fixture/seen.json');
  return { trial, trace, seen: existsSync(seenFile) ? JSON.parse(readFileSync(seenFile, 'utf8')) : undefined };
}

const containers = (): string => runEngine('ps', '-a', '-q', '--filter', 'label=assay.owner');

const look = `
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
const { ASSAY_BASE_URL: model, PORT } = process.env;
const said = execFileSync('only-here', ['hello'], { encoding: 'utf8' });
const ask = (port) => new Promise((resolve) => {
  connect(port, '127.0.0.1').on('connect', () => resolve('open')).on('error', ({ code }) => resolve(code));
});
const seen = { said, root: readdirSync('/').sort(), hasHost: existsSync('/etc/debian_version'), port: PORT && await ask(Number(PORT)) };
if (model) {
  const body = JSON.stringify({ model: 'test-model', messages: [{ role: 'user', content: 'Hello' }] });
  const headers = { authorization: 'Bearer ' + process.env.ASSAY_API_KEY, 'content-type': 'application/json' };
  const response = await fetch(model + '/chat/completions', { method: 'POST', headers, body });
  seen.model = (await response.json()).choices?.[0].message.content;
}
writeFileSync('seen.json', JSON.stringify(seen));
process.exit();
`;

describe('a trial in a container', () => {
  it('has the programs of the image, is recorded, and leaves its files and no container', async () => {
    const { trial, trace, seen } = await run(await project(look));
    expect(trial).toMatchObject({ outcome: 'pass' });
    expect(seen).toMatchObject({ said: 'in the image: hello\n', hasHost: false });
    expect(eventsOf(trace, 'agent-started')).toMatchObject([{ isolation: 'container' }]);
    expect(eventsOf(trace, 'command')).toMatchObject([{ argv: ['only-here', 'hello'], exitCode: 0 }]);
    expect(containers()).toBe('');
  });

  it('with `network: model-only` reaches its model and not the services of this machine', async () => {
    await using model = await startScriptedModel({ rules: [{ reply: 'Hello back.' }] });
    const service = createServer().listen(0, '127.0.0.1');
    await once(service, 'listening');
    const env = { PORT: String((service.address() as AddressInfo).port) };
    const scenario = { network: 'model-only', target: { binary: 'only-here', env } };
    const settings = { baseUrl: `${model.url}/v1`, apiKey: 'sk-of-the-test-0123456789' };
    const { trial, trace, seen } = await run(await project(look, scenario, settings), ['--model', 'test-model']);
    service.close();
    expect(trial).toMatchObject({ outcome: 'pass' });
    expect(seen).toMatchObject({ model: 'Hello back.', port: 'ECONNREFUSED' });
    expect(eventsOf(trace, 'model-call')).toHaveLength(1);
  });

  it.each<[string, (programs: string) => object]>([
    ['the tool', (programs) => ({ target: { binary: join(programs, 'needy-tool') } })],
    [
      'an MCP server',
      (programs) => ({ mcp_servers: { words: { command: '/bin/sh', args: [join(programs, 'server.sh')] } } }),
    ],
  ])('is an error before the agent starts where %s needs a file that it does not see', async (_name, scenario) => {
    // Neither in a folder of the system nor in one for temporary files, and not beside the program.
    const data = mkdtempSync(join(homedir(), '.assay-test-'));
    onTestFinished(() => rmSync(data, { recursive: true, force: true }));
    await writeFiles(data, { 'words.txt': 'words', 'other.txt': 'others' });
    const reads = `grep -q words ${data}/words.txt || exit 4`;
    const greets = `read -r request; echo '{"jsonrpc":"2.0","id":1,"result":{}}'; cat > /dev/null`;
    const programs = await temporaryFolder({
      'needy-tool': `#!/bin/sh\n${reads}\n`,
      'server.sh': `${reads}\n${greets}\n`,
    });
    chmodSync(join(programs, 'needy-tool'), 0o755);
    const folder = await project(look, scenario(programs));
    const { trial, trace } = await run(folder, [], { engine: await failingEngine() });
    expect(trial.fault, JSON.stringify(trial)).toMatchObject({ code: 'TARGET_NOT_LOADED', blame: 'user' });
    expect(trial.fault.message).toContain(`hides ${data}/words.txt`);
    expect(eventsOf(trace, 'agent-started')).toEqual([]);
    expect(containers()).toBe('');
  });

  it('may have a tool of this machine that mentions the folder for temporary files', async () => {
    const programs = await temporaryFolder({ 'tmp-tool': '#!/bin/sh\nls "${TMPDIR:-/tmp}" /tmp > /dev/null\n' });
    chmodSync(join(programs, 'tmp-tool'), 0o755);
    const agent = `
      import { execFileSync } from 'node:child_process';
      import { writeFileSync } from 'node:fs';
      execFileSync('tmp-tool');
      writeFileSync('seen.json', '{}');`;
    const { trial, trace } = await run(await project(agent, { target: { binary: join(programs, 'tmp-tool') } }));
    expect(trial, JSON.stringify(trial.fault)).toMatchObject({ outcome: 'pass' });
    expect(eventsOf(trace, 'command')).toMatchObject([{ exitCode: 0 }]);
  });

  it('ends with its time limit, daemons included', async () => {
    const agent = `
      import { spawn } from 'node:child_process';
      spawn('setsid', ['sleep', '1000'], { detached: true, stdio: 'ignore' });
      setInterval(() => undefined, 1000);`;
    const { trace } = await run(await project(agent, { run: { timeout_secs: 5 } }));
    expect(eventsOf(trace, 'agent-ended')).toMatchObject([{ timedOut: true }]);
    expect(containers()).toBe('');
  });

  it('ends when Assay is killed', async () => {
    const folder = await project(`setInterval(() => undefined, 1000);`);
    const env = { ...process.env, HERE: folder, ...engineEnvironment };
    const args = [programFile(), 'run', 'scenario.yaml', '--agent', 'mine'];
    const killed = spawn(process.execPath, args, { cwd: folder, env, stdio: 'ignore' });
    await until(() => runEngine('ps', '-q', '--filter', 'label=assay.owner') !== '');
    killed.kill('SIGKILL');
    await once(killed, 'exit');
    await until(() => runEngine('ps', '-q', '--filter', 'label=assay.owner') === '');
  });

  it('runs setup, gates and scripts in its container, and shows graders to nobody before', async () => {
    const agent = `
      import { existsSync, readFileSync, writeFileSync } from 'node:fs';
      import { execFileSync } from 'node:child_process';
      writeFileSync('/usr/left-by-agent', 'yes');
      const seen = { setup: readFileSync('/usr/left-by-setup', 'utf8'), gate: existsSync('GATES/check.sh') };
      writeFileSync('seen.json', JSON.stringify(seen));`;
    const gate = (command: string) => ({ type: 'command_succeeds', command });
    const scenario = {
      setup: { commands: ['echo -n made > /usr/left-by-setup; test ! -e /etc/debian_version'] },
      scripts: { post: [{ command: 'test -s $LLM_TOOL_TEST_TRANSCRIPT; echo post=$?' }] },
      evaluation: {
        gates: [
          gate('test "$(cat /usr/left-by-agent)" = yes && only-here x && test ! -e /etc/debian_version'),
          gate('sh GATES/check.sh'),
          gate('test -s "$LLM_TOOL_TEST_EVENTS"'),
        ],
      },
    };
    const folder = await project('');
    const gates = join(folder, 'gates');
    const named = await project(
      agent.replaceAll('GATES', gates),
      JSON.parse(JSON.stringify(scenario).replaceAll('GATES', gates)),
    );
    await writeFiles(folder, {
      'gates/check.sh': `. ${gates}/beside.sh; echo no > ${gates}/new && exit 1; test "$beside" = here`,
      'gates/beside.sh': 'beside=here',
    });
    const { trial, trace, seen } = await run(named);
    expect(trial).toMatchObject({ outcome: 'pass' });
    expect(seen).toEqual({ setup: 'made', gate: false });
    expect(eventsOf(trace, 'script')).toMatchObject([{ phase: 'setup', exitCode: 0 }, { phase: 'post' }]);
    const { stdout } = await assay(['rescore', 'latest', '--json'], { cwd: named, env: { HERE: named } });
    expect(JSON.parse(stdout).trials[0]).toMatchObject({ outcome: 'error', fault: { code: 'WORKSPACE_FAILED' } });
    expect(containers()).toBe('');
  });

  it('is judged when everything that its agent left running has ended', async () => {
    const agent = `
      import { spawn } from 'node:child_process';
      import { writeFileSync } from 'node:fs';
      const loop = 'while :; do echo x > ' + process.cwd() + '/alive; rm -f ' + process.cwd() + '/alive; done';
      spawn('setsid', ['env', '-i', '/bin/sh', '-c', loop], { detached: true, stdio: 'ignore' }).unref();
      writeFileSync('seen.json', '1');
      setTimeout(() => process.exit(), 200);`;
    const find = 'for file in /proc/[0-9]*/cmdline; do case "$(cat $file)" in *al"ive"*) exit 1 ;; esac; done';
    const only = { type: 'command_succeeds', command: find };
    const { trial } = await run(
      await project(agent, { evaluation: { gates: [{ type: 'file_exists', path: 'seen.json' }, only] } }),
    );
    expect(trial).toMatchObject({ outcome: 'pass' });
  });

  it('builds the image of a Dockerfile beside the scenario', async () => {
    const folder = await project(look);
    await writeFiles(folder, {
      'deep/Dockerfile': `FROM ${image}\nENV MADE_BY=build\n`,
      'deep/scenario.yaml': JSON.stringify({
        name: 'Built',
        dockerfile: 'Dockerfile',
        target: { binary: 'only-here' },
        task: { prompt: 'Work.' },
        evaluation: { gates: [{ type: 'command_succeeds', command: 'test "$MADE_BY" = build && cat seen.json' }] },
      }),
    });
    const { trial } = await run(folder, [], { file: 'deep/scenario.yaml' });
    expect(trial).toMatchObject({ outcome: 'pass' });
  });

  it('is recorded less exactly, which its trace and `assay doctor` say', async () => {
    const folder = await project(look);
    const { trace } = await run(folder);
    expect(JSON.stringify(eventsOf(trace, 'notice'))).toContain('an agent could change the records');
    const { stdout } = await assay(['doctor'], { cwd: folder, env: { HERE: folder, ...engineEnvironment } });
    expect(stdout).toContain('In a container, calls of the tool are recorded without their output');
  });

  it('is refused without an image, by name', async () => {
    const { trial } = await run(await project(look, { image: 'localhost/no-such-image:1' }));
    expect(trial).toMatchObject({ outcome: 'error', fault: { code: 'ISOLATION_UNAVAILABLE' } });
    expect(trial.fault.message).toContain('localhost/no-such-image:1 is not on this machine');
  });
});

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await delay(50);
}
