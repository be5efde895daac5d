import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { IsolationTier } from '../../src/domain/isolation-tier.ts';
import type { Trace } from '../../src/domain/trace.ts';
import { hiddenByTier } from '../../src/drive/workspace/hiding.ts';
import { assay, startAssay } from '../../src/testing/support/assay.ts';
import {
  onlyTrial,
  runTool,
  toolEnvironment,
  toolProject,
  toolScenario,
} from '../../src/testing/support/cli-tool-project.ts';
import { processesWith } from '../../src/testing/support/processes.ts';
import { temporaryFolder, writeFiles } from '../../src/testing/support/temporary-folder.ts';
import { testedTiers } from '../../src/testing/support/tested-tiers.ts';

const tiers = await testedTiers();

interface Room {
  readonly folder: string;
  /** The base of rooms, which is empty before and after. */
  readonly tmp: string;
  readonly env: Readonly<Record<string, string>>;
}

interface Hostile {
  readonly tier: IsolationTier;
  /** Steps of the agent, as one shell script. */
  readonly does: string;
  readonly gates: string;
  readonly more?: string;
  readonly files?: Readonly<Record<string, string>>;
}

/** A project whose agent runs a script, with a base for rooms and a HOME of its own. */
async function project({ tier, does, gates, more = '', files = {} }: Hostile): Promise<Room> {
  const folder = await toolProject({
    scenario: toolScenario(gates, `isolation: ${tier}\n${more}`),
    script: JSON.stringify({ steps: ['sh agent.sh'] }),
    files: { 'template/agent.sh': does, ...files },
  });
  const places = await temporaryFolder({ 'home/secret.txt': 'of the user' });
  const tmp = join(places, 'tmp');
  await mkdir(tmp);
  return { folder, tmp, env: { TMPDIR: tmp, HOME: join(places, 'home') } };
}

const run = ({ folder, env }: Room, flags: readonly string[] = []) => runTool(folder, flags, env);

/** The folder in which the files of the only trial are kept. */
function keptIn(folder: string): string {
  const artifacts = join(folder, '.assay/artifacts');
  const [trial = ''] = readdirSync(artifacts).filter((name) => name !== 'results.jsonl');
  return join(artifacts, trial);
}

const git = (folder: string, ...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], { cwd: folder, encoding: 'utf8' });

describe.each(tiers)('in the isolation %s', (tier) => {
  it("an agent's git cannot reach the repository of the project", async () => {
    const does = 'git stash; git add -A; git -c user.name=x -c user.email=x@y commit -qm agent; git rev-parse; true';
    const room = await project({ tier, does, gates: '[{ type: file_exists, path: agent.sh }]' });
    git(room.folder, 'init', '-q');
    git(room.folder, 'add', 'scenario.yaml');
    git(room.folder, 'commit', '-qm', 'of the user');
    await writeFiles(room.folder, {
      'scenario.yaml': `${await readFile(join(room.folder, 'scenario.yaml'), 'utf8')}\n`,
    });
    const before = [git(room.folder, 'status', '--porcelain'), git(room.folder, 'log', '--oneline')];
    await run(room);
    const after = [git(room.folder, 'status', '--porcelain'), git(room.folder, 'log', '--oneline')];
    expect(before[0]).toContain(' M scenario.yaml');
    expect(after[0]?.replace('?? .assay/\n', '')).toBe(before[0]);
    expect(after[1]).toBe(before[1]);
    expect(git(room.folder, 'stash', 'list')).toBe('');
    expect(readFileSync(join(keptIn(room.folder), 'transcript.raw.txt'), 'utf8')).toContain('not a git repository');
  });

  it('works outside the project, and its files are kept with it afterwards', async () => {
    const does = 'pwd > place; echo "$PWD/note" > named; echo done > note; ln -s "$PWD/note" link; env > seen';
    const room = await project({
      tier,
      does,
      gates:
        '[{ type: file_contains, path: copied, substring: done }, { type: command_succeeds, command: grep done link }]',
      // Paths that the agent wrote hold when its work is looked at.
      more: `scripts: { post: [{ command: 'cat "$(cat named)" > copied' }] }\n`,
    });
    expect(onlyTrial(await run(room))).toMatchObject({ outcome: 'pass' });
    const kept = keptIn(room.folder);
    const place = readFileSync(join(kept, 'fixture/place'), 'utf8');
    expect(place.startsWith(join(room.tmp, 'assay-room-'))).toBe(true);
    expect(readdirSync(kept)).toEqual(
      expect.arrayContaining(['fixture', 'home', 'tmp', 'events.jsonl', 'transcript.raw.txt']),
    );
    expect(readFileSync(join(kept, 'fixture/seen'), 'utf8')).not.toContain(join(room.folder, '.assay'));
    expect(readdirSync(room.tmp)).toEqual([]);
    expect(readdirSync(join(kept, 'tmp'))).toEqual([]);
    const rescored = await assay(['rescore', 'latest', '--json'], { cwd: room.folder, env: room.env });
    expect(JSON.parse(rescored.stdout).trials).toMatchObject([{ outcome: 'pass' }]);
  });

  it('hides what the table of `assay doctor` says', async () => {
    const files = {
      'template/agent.sh': 'x',
      'CLAUDE.md': 'of the project',
      '.assay/artifacts/other/report.md': 'earlier',
    };
    const room = await project({ tier, does: '', gates: '[{ type: file_exists, path: found }]', files });
    const looked: Readonly<Record<string, string>> = {
      project: join(room.folder, 'CLAUDE.md'),
      graders: join(room.folder, 'scenario.yaml'),
      otherTrials: join(room.folder, '.assay/artifacts/other/report.md'),
      home: join(room.env.HOME ?? '', 'secret.txt'),
    };
    const look = Object.entries(looked).map(
      ([what, path]) => `cat '${path}' > /dev/null 2>&1 && echo ${what} >> found`,
    );
    const processes = 'cat /proc/[0-9]*/environ 2> /dev/null | grep -aq process-of-the-user && echo processes >> found';
    const agent = ['touch found', ...look, processes, 'my-tool list', 'true'].join('\n');
    await writeFiles(room.folder, { 'template/agent.sh': agent });
    const mark = `process-of-the-user-${process.pid}-${tier}`;
    const other = spawn('sleep', ['300'], { env: { MARK: mark } });
    onTestFinished(() => void other.kill());
    const trial = onlyTrial(await run(room));
    expect(trial).toMatchObject({ outcome: 'pass', interaction: { total_commands: 1, error_count: 0 } });
    const found = readFileSync(join(keptIn(room.folder), 'fixture/found'), 'utf8')
      .split('\n')
      .filter(Boolean);
    const visible = Object.entries(hiddenByTier[tier]).flatMap(([what, isHidden]) => (isHidden ? [] : [what]));
    expect(found.toSorted()).toEqual(visible.toSorted());
  });

  it('an agent that edits a gate script of the work directory is not judged', async () => {
    const files = { 'template/check.sh': 'test -f wanted\n' };
    const gates = '[{ type: command_succeeds, command: sh check.sh }]';
    const room = await project({ tier, does: 'echo true > check.sh', gates, files });
    expect(onlyTrial(await run(room))).toMatchObject({
      outcome: 'error',
      fault: { code: 'GRADER_CHANGED', blame: 'agent', message: expect.stringContaining('check.sh') },
    });
  });

  it('an agent that edits a gate script of the project is not judged by it', async () => {
    const checks = await temporaryFolder({ 'check.sh': '#!/bin/sh\ntest -f wanted\n' });
    const check = join(checks, 'check.sh');
    await chmod(check, 0o755);
    const gates = `[{ type: command_succeeds, command: ${check} }]`;
    const room = await project({ tier, does: `echo true > ${check}; true`, gates });
    const trial = onlyTrial(await run(room));
    if (tier === 'bubblewrap') {
      expect(trial.outcome).toBe('fail');
      expect(readFileSync(check, 'utf8')).toContain('wanted');
    } else expect(trial).toMatchObject({ outcome: 'error', fault: { code: 'GRADER_CHANGED', blame: 'agent' } });
  });

  it('files that a scenario does not list as graders may be changed', async () => {
    const files = { 'template/build.sh': 'exit 1\n', 'template/checks/a.txt': 'kept\n' };
    const gates = '[{ type: command_succeeds, command: sh build.sh }]';
    const scenario = (listed: string) =>
      toolScenario(gates, `isolation: ${tier}\n`).replace('evaluation:\n', `evaluation:\n  graders: [${listed}]\n`);
    const room = await project({ tier, does: 'echo exit 0 > build.sh; echo cheat > checks/a.txt', gates, files });
    await writeFile(join(room.folder, 'scenario.yaml'), scenario(''));
    expect(onlyTrial(await run(room))).toMatchObject({ outcome: 'pass' });
    await writeFile(join(room.folder, 'scenario.yaml'), scenario('checks'));
    expect(onlyTrial(await run(room))).toMatchObject({ outcome: 'error', fault: { code: 'GRADER_CHANGED' } });
  });

  it('links that an agent plants in its folder redirect nothing', async () => {
    const victims = await temporaryFolder({ 'events.txt': 'mine', 'transcript.txt': 'mine' });
    const plant = ['events', 'transcript'].map(
      (name) =>
        `ln -sf ${victims}/${name}.txt "$LLM_TOOL_TEST_RESULTS_DIR/${name === 'events' ? 'events.jsonl' : 'transcript.raw.txt'}"`,
    );
    const does = `${plant.join('; ')}; my-tool list; touch done; true`;
    const room = await project({
      tier,
      does,
      gates: '[{ type: command_succeeds, command: test -s "$LLM_TOOL_TEST_EVENTS" -a -f done }]',
    });
    expect(onlyTrial(await run(room))).toMatchObject({ outcome: 'pass' });
    expect(['events.txt', 'transcript.txt'].map((name) => readFileSync(join(victims, name), 'utf8'))).toEqual([
      'mine',
      'mine',
    ]);
    expect(readFileSync(join(keptIn(room.folder), 'events.jsonl'), 'utf8')).toContain('my-tool list');
  });

  it('ends what a step of a scripted agent leaves running with the step, before the next one', async () => {
    const mark = `left-by-a-step-${process.pid}-${tier}`;
    const room = await project({ tier, does: '', gates: '[{ type: file_exists, path: found }]' });
    const look = `cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n' | grep -a ^LEFT_BY= > found; true`;
    const steps = [`LEFT_BY=${mark} setsid sleep 300 >/dev/null 2>&1 &`, look];
    await writeFiles(room.folder, { 'script.yaml': JSON.stringify({ steps }) });
    expect(onlyTrial(await run(room))).toMatchObject({ outcome: 'pass' });
    expect(readFileSync(join(keptIn(room.folder), 'fixture/found'), 'utf8')).not.toContain(mark);
    expect(processesWith(mark)).toEqual([]);
  });

  it('ends the daemons of an agent, and takes permissions back that it took away', async () => {
    const mark = `daemon-of-${process.pid}-${tier}`;
    const does = `(MARK=${mark} setsid sleep 300 &) ; chmod 500 ..; mkdir locked; chmod 000 locked; true`;
    const room = await project({ tier, does, gates: '[{ type: file_exists, path: locked }]' });
    expect(onlyTrial(await run(room))).toMatchObject({ outcome: 'pass' });
    expect(processesWith(mark)).toEqual([]);
    expect(existsSync(join(keptIn(room.folder), 'fixture/locked'))).toBe(true);
    expect(readdirSync(room.tmp)).toEqual([]);
  });
});

/** A folder in memory, which is another file system and which bubblewrap does not show; undefined where there is none. */
async function memoryFolder(files: Readonly<Record<string, string>> = {}): Promise<string | undefined> {
  if (!existsSync('/dev/shm')) return undefined;
  const folder = await mkdtemp('/dev/shm/assay-test-');
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFiles(folder, files);
  return folder;
}

it('an agent that isolation would hide is found out before it starts, and nothing is spent', async ({ skip }) => {
  skip(!tiers.includes('bubblewrap'), 'bubblewrap does not work here');
  const place = await memoryFolder({ 'agent.sh': '#!/bin/sh\ntouch started\n' });
  if (place === undefined) return skip('there is no /dev/shm');
  const program = join(place, 'agent.sh');
  await chmod(program, 0o755);
  const room = await project({ tier: 'bubblewrap', does: '', gates: '[{ type: file_exists, path: started }]' });
  await writeFiles(room.folder, { 'assay.config.yaml': `agent: far\nagents: { far: { command: ${program} } }\n` });
  const trial = onlyTrial(await run(room));
  expect(trial).toMatchObject({
    outcome: 'error',
    fault: {
      code: 'AGENT_MISSING',
      message: `The isolation "bubblewrap" hides ${program}, which starts the agent "far".`,
      hint: expect.stringContaining('`visible`'),
    },
  });
  const { trace } = JSON.parse((await assay(['show', trial.trialId, '--json'], { cwd: room.folder })).stdout);
  const types = (trace as Trace).map(({ type }) => type);
  expect(types.filter((type) => ['agent-started', 'usage', 'model-call'].includes(type))).toEqual([]);
});

it('what rests on recorded commands cannot be judged where the recorder was tampered with', async () => {
  const does =
    'my-tool list; shim=$(command -v my-tool); rm "$shim"; ln -s /bin/true "$shim"; my-tool bogus; touch done';
  const gates = '[{ type: file_exists, path: done }, { type: no_transcript_errors }]';
  const room = await project({ tier: 'none', does, gates });
  const trial = onlyTrial(await run(room));
  expect(trial).toMatchObject({ outcome: 'error', fault: { code: 'NOT_OBSERVED' }, interaction: null });
  const { evaluatorResults } = trial as unknown as { evaluatorResults: readonly { type: string; state: string }[] };
  expect(Object.fromEntries(evaluatorResults.map(({ type, state }) => [type, state]))).toEqual({
    interaction: 'no-data',
    file_exists: 'pass',
    no_transcript_errors: 'error',
  });
  const rescored = await assay(['rescore', 'latest', '--json'], { cwd: room.folder, env: room.env });
  expect(JSON.parse(rescored.stdout).trials).toMatchObject([{ outcome: 'error' }]);
});

describe('the rooms of trials', () => {
  it('of a killed process are removed by `assay store clean`, and those of others stay', async () => {
    const room = await project({
      tier: 'none',
      does: 'touch begun; sleep 300',
      gates: '[{ type: file_exists, path: x }]',
    });
    const child = startAssay(['run', 'scenario.yaml'], {
      cwd: room.folder,
      env: { ...toolEnvironment(room.folder), ...room.env },
    });
    const begun = (): boolean => {
      const [name] = readdirSync(room.tmp).filter((entry) => entry.startsWith('assay-room-'));
      return name !== undefined && existsSync(join(room.tmp, name, 'trial/fixture/begun'));
    };
    await expect.poll(begun, { timeout: 60_000 }).toBe(true);
    const clean = () => assay(['clean', '--older-than', '30d'], { cwd: room.folder, env: room.env });
    await clean();
    expect(begun()).toBe(true);
    const closed = new Promise((resolve) => child.once('close', resolve));
    child.kill('SIGKILL');
    await closed;
    const tag = readdirSync(room.tmp).find((entry) => entry.startsWith('assay-room-')) ?? '';
    expect((await clean()).stdout).toContain('1 temporary folder of ended processes removed.');
    expect(readdirSync(room.tmp).filter((entry) => entry.startsWith('assay-room-'))).toEqual([]);
    for (const pid of processesWith(tag)) process.kill(pid, 'SIGKILL');
  });

  it('on another file system than the project are copied to it, with links and permissions', async ({ skip }) => {
    const does = 'mkdir -p a/b; echo done > a/b/note; chmod 640 a/b/note; ln -s b/note a/link; ln -s /nowhere a/gone';
    const gates = '[{ type: command_succeeds, command: grep done a/link }]';
    const { folder, env } = await project({ tier: 'none', does, gates });
    const tmp = await memoryFolder();
    if (tmp === undefined || statSync(tmp).dev === statSync(folder).dev) return skip('there is one file system only');
    expect(onlyTrial(await run({ folder, tmp, env: { ...env, TMPDIR: tmp } }))).toMatchObject({ outcome: 'pass' });
    const kept = join(keptIn(folder), 'fixture/a');
    expect(statSync(kept).dev).toBe(statSync(folder).dev);
    expect(readFileSync(join(kept, 'link'), 'utf8')).toBe('done\n');
    expect([readlinkSync(join(kept, 'link')), readlinkSync(join(kept, 'gone'))]).toEqual(['b/note', '/nowhere']);
    expect(statSync(join(kept, 'b/note')).mode & 0o777).toBe(0o640);
    expect(readdirSync(tmp)).toEqual([]);
  });

  it('are made where no instructions lie above them', async () => {
    const room = await project({ tier: 'none', does: 'pwd > place', gates: '[{ type: file_exists, path: place }]' });
    await writeFile(join(room.tmp, 'CLAUDE.md'), 'of somebody else');
    expect(onlyTrial(await run(room))).toMatchObject({ outcome: 'pass' });
    expect(readFileSync(join(keptIn(room.folder), 'fixture/place'), 'utf8')).not.toContain(room.tmp);
  });
});
