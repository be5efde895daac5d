import { execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, type TestContext } from 'vitest';
import { programFile } from '../../compose/program.ts';
import type { IsolationTier } from '../../domain/isolation-tier.ts';
import { eventsOf } from '../../domain/trace.ts';
import { type ToolTrial, toolEnvironment } from './cli-tool-project.ts';
import type { Attack, Defence } from './defence-table.ts';
import { graderAttacks } from './grader-attacks.ts';
import { answering, attacked, chat, runNode, runShell, shellProject, stalling } from './hostile-runs.ts';
import { bodyOf, serve } from './http-server.ts';
import { machineAttacks } from './machine-attacks.ts';
import { processesWith } from './processes.ts';
import { storeEnvironment } from './project-store.ts';
import { recorderAttacks } from './recorder-attacks.ts';
import { temporaryFolder } from './temporary-folder.ts';

async function editsGateOfProject(tier: IsolationTier): Promise<Defence> {
  const check = join(await temporaryFolder({ 'check.sh': '#!/bin/sh\ntest -f wanted\n' }), 'check.sh');
  await chmod(check, 0o755);
  const gates = `[{ type: command_succeeds, command: ${check} }]`;
  const { trial } = await runShell({ tier, script: `echo true > ${check}`, gates });
  if (readFileSync(check, 'utf8').includes('wanted')) return trial.outcome === 'fail' ? 'prevented' : 'possible';
  return trial.fault?.code === 'GRADER_CHANGED' ? 'noticed' : 'possible';
}

async function editsGateOfWork(tier: IsolationTier): Promise<Defence> {
  const gates = '[{ type: command_succeeds, command: sh check.sh }]';
  const files = { 'template/check.sh': 'test -f wanted\n' };
  const { trial } = await runShell({ tier, script: 'echo true > check.sh', gates, files });
  return trial.fault?.code === 'GRADER_CHANGED' && trial.fault.blame === 'agent' ? 'noticed' : 'possible';
}

async function readsProcesses(tier: IsolationTier): Promise<Defence> {
  const mark = `of-the-user-${process.pid}-${tier}`;
  const other = spawn('sleep', ['300'], { env: { SECRET: mark } });
  onTestFinished(() => void other.kill());
  const script = `cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n' | grep -a ^SECRET= > found`;
  const { left, trial } = await runShell({ tier, script });
  expect(trial.outcome).toBe('pass');
  return left('found').includes(mark) ? 'possible' : 'prevented';
}

async function borrowsPlaceholder(tier: IsolationTier): Promise<Defence> {
  // Two trials that run at a time swap what they were given.
  const waiting: { readonly given: string; answer(other: string): void }[] = [];
  const exchange = await serve(async (request, response) => {
    waiting.push({ given: await bodyOf(request), answer: (other) => void response.end(other) });
    const [one, two] = waiting;
    if (!one || !two) return;
    one.answer(two.given);
    two.answer(one.given);
  });
  let reached = 0;
  const model = await answering(() => {
    reached++;
  });
  const program = `
    import { writeFileSync } from 'node:fs';
    ${chat}
    const other = await (await fetch(process.env.EXCHANGE, { method: 'POST', body: JSON.stringify({ url, key }) })).json();
    const tried = [await chat(url, other.key), await chat(other.url, key)];
    writeFileSync('ended.json', JSON.stringify({ isOther: other.key !== key, statuses: tried.map(({ status }) => status) }));`;
  const { trials, left } = await runNode(tier, program, model, { env: { EXCHANGE: exchange }, repeat: 2 });
  expect(trials.map(({ outcome }) => outcome)).toEqual(['pass', 'pass']);
  const tried = trials.map((trial) => JSON.parse(left('ended.json', trial)));
  expect(tried.map(({ isOther }) => isOther)).toEqual([true, true]);
  const isRefused = tried.every(({ statuses }) => statuses.every((status: number) => status === 401));
  return isRefused && reached === 0 ? 'prevented' : 'possible';
}

async function floodsGateway(tier: IsolationTier): Promise<Defence> {
  const program = `
    import { writeFileSync } from 'node:fs';
    ${chat}
    const held = await Promise.all(Array.from({ length: 100 }, () => chat(url, key, true)));
    const refused = await Promise.all(Array.from({ length: 300 }, () => chat(url, 'wrong')));
    const count = (list, status) => list.filter((response) => response.status === status).length;
    writeFileSync('ended.json', JSON.stringify({ open: count(held, 200), full: count(held, 429), wrong: refused.length - count(refused, 200) }));
    process.exit(0);`;
  const { trial, trace, left } = await runNode(tier, program, await stalling());
  expect(trial.outcome).toBe('pass');
  expect(JSON.parse(left('ended.json'))).toEqual({ open: 64, full: 36, wrong: 300 });
  const isBounded = eventsOf(trace, 'notice').length < 30 && eventsOf(trace, 'model-call').length === 64;
  return isBounded ? 'prevented' : 'possible';
}

const reach = (host: string, port: string): string => `new Promise((resolve) => {
  const socket = connect({ host: ${host}, port: ${port}, timeout: 2000 });
  socket.on('connect', () => { socket.destroy(); resolve('reached'); });
  socket.on('timeout', () => { socket.destroy(); resolve('silence'); });
  socket.on('error', ({ code }) => resolve(code));
})`;

async function reachesLoopback(tier: IsolationTier): Promise<Defence> {
  const port = new URL(await answering()).port;
  const program = `
    import { writeFileSync } from 'node:fs';
    import { connect } from 'node:net';
    writeFileSync('ended.json', JSON.stringify(await ${reach("'127.0.0.1'", 'process.env.PORT')}));`;
  const { left } = await runNode(tier, program, await answering(), { env: { PORT: port } });
  return JSON.parse(left('ended.json')) === 'reached' ? 'possible' : 'prevented';
}

async function reachesOutWhenLimited(tier: IsolationTier): Promise<Defence> {
  const port = new URL(await answering()).port;
  const program = `
    import { writeFileSync } from 'node:fs';
    import { connect } from 'node:net';
    ${chat}
    const tried = [await ${reach("'127.0.0.1'", 'process.env.PORT')}, await ${reach("'169.254.169.254'", '80')}];
    const model = (await chat(url, key)).status;
    writeFileSync('ended.json', JSON.stringify({ tried, model }));`;
  const options = { network: 'model-only', env: { PORT: port } };
  const { trial, trace, left } = await runNode(tier, program, await answering(), options);
  if (trial.fault?.code === 'ISOLATION_UNAVAILABLE') {
    expect(eventsOf(trace, 'agent-started')).toEqual([]);
    return 'not started';
  }
  expect(trial.outcome, trial.reason).toBe('pass');
  const { tried, model } = JSON.parse(left('ended.json'));
  expect(model).toBe(200);
  return tried.every((result: string) => /^E(CONNREFUSED|NETUNREACH|HOSTUNREACH)$/.test(result))
    ? 'prevented'
    : 'possible';
}

/** Runs the program where the folder for rooms is a small file system that only this run sees. */
function runOnSmallDisk(folder: string, rooms: string): { readonly trials: readonly ToolTrial[] } | undefined {
  const script = 'mount -t tmpfs -o size=4m tmpfs "$1" || exit 99; shift; exec "$@"';
  const run = ['run', 'scenario.yaml', '--json', '--no-cache'];
  const namespace = process.getuid?.() === 0 ? ['--mount'] : ['--mount', '--map-root-user'];
  const args = [...namespace, 'sh', '-c', script, 'sh', rooms, process.execPath, programFile(), ...run];
  const env = { ...process.env, ...storeEnvironment(folder), ...toolEnvironment(folder), TMPDIR: rooms };
  try {
    return JSON.parse(execFileSync('unshare', args, { cwd: folder, env, encoding: 'utf8', stdio: 'pipe' }));
  } catch (error) {
    const { stdout } = error as { stdout?: string };
    return stdout?.startsWith('{') ? JSON.parse(stdout) : undefined;
  }
}

async function fillsDisk(tier: IsolationTier, { skip }: TestContext): Promise<Defence> {
  const folder = await shellProject({ tier, script: 'touch ended; head -c 104857600 /dev/zero > big; my-tool list' });
  const rooms = join(await temporaryFolder(), 'rooms');
  await mkdir(rooms);
  const run = runOnSmallDisk(folder, rooms);
  if (run === undefined) return skip('a file system cannot be mounted here');
  const { trial, trace } = await attacked(folder, run.trials);
  if (trial.outcome !== 'error') return 'possible';
  expect(trial.fault).toMatchObject({
    code: 'WORKSPACE_FAILED',
    message: expect.stringContaining('No space is left in'),
  });
  // Calls that are reported through a socket are recorded on a full disk too.
  const recorded = tier === 'container' ? [] : ['my-tool list'];
  expect(eventsOf(trace, 'command').map(({ argv }) => argv.join(' '))).toEqual(recorded);
  return 'noticed';
}

async function leavesDaemon(tier: IsolationTier): Promise<Defence> {
  const mark = `daemon-of-${process.pid}-${tier}`;
  const { trial } = await runShell({ tier, script: `MARK=${mark} setsid sleep 300 &` });
  expect(trial.outcome).toBe('pass');
  return endedDaemon(mark);
}

async function leavesBareDaemon(tier: IsolationTier): Promise<Defence> {
  const mark = `bare-daemon-of-${process.pid}-${tier}`;
  const { trial } = await runShell({ tier, script: `env -i MARK=${mark} setsid sleep 300 >/dev/null 2>&1 &` });
  expect(trial.outcome).toBe('pass');
  return endedDaemon(mark);
}

function endedDaemon(mark: string): Defence {
  const running = processesWith(mark);
  for (const pid of running) process.kill(pid, 'SIGKILL');
  return running.length === 0 ? 'prevented' : 'possible';
}

/** Attacks by their names in the documentation. */
export const attacks: Readonly<Record<string, Attack>> = {
  'edits a gate script of the project': editsGateOfProject,
  'edits a gate script in its work directory': editsGateOfWork,
  'reads the environment of other processes in `/proc`': readsProcesses,
  ...machineAttacks,
  ...recorderAttacks,
  'uses the gateway with the placeholder or URL of another trial': borrowsPlaceholder,
  'floods the gateway and holds its streams open': floodsGateway,
  'reaches services on loopback, with `network: open`': reachesLoopback,
  'reaches loopback or cloud metadata, with `network: model-only`': reachesOutWhenLimited,
  'fills the disk': fillsDisk,
  'leaves a daemon running': leavesDaemon,
  'leaves a daemon that cleared its environment': leavesBareDaemon,
  ...graderAttacks,
};
