import { randomInt } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { RunDetail } from '../../src/entry/server/api/runs.ts';
import { serveFiles } from '../../src/testing/fakes/server/served-project.ts';
import { processesRunning } from '../../src/testing/fakes/workspace/running-commands.ts';
import { ended, startAssay } from '../../src/testing/support/assay.ts';
import { assayInProcess } from '../../src/testing/support/assay-in-process.ts';
import { DistributedProject } from '../../src/testing/support/distributed-run.ts';
import { hasPostgres, usePostgres } from '../../src/testing/support/postgres.ts';
import { temporaryFolder, writeFiles } from '../../src/testing/support/temporary-folder.ts';

type Hooks = Readonly<Record<string, readonly string[]>>;

const levels = ['Run', 'Scenario', 'Trial'] as const;

/** Adds a line to a log: its own name and its variables. */
function noting(hook: string, log = 'log.txt'): string {
  return `echo "${hook} $ASSAY_SCENARIO $ASSAY_CASE \${ASSAY_OUTCOME-none}" | tr -s ' ' >> ${log}`;
}

function notingAll(log?: string): Record<string, string[]> {
  const names = levels.flatMap((level) => [`before${level}`, `after${level}`]);
  return Object.fromEntries(names.map((hook) => [hook, [noting(hook, log)]]));
}

function config(hooks: Hooks, more: object = {}): Record<string, string> {
  return { 'assay.config.json': JSON.stringify({ hooks, ...more }) };
}

/** Two scenarios of three cases; the case `3` of `B` fails. The tool notes that it was called. */
const scenarios: Record<string, string> = Object.fromEntries(
  ['A', 'B'].map((name) => [
    `${name}.json`,
    JSON.stringify({
      name,
      call: { module: './tool.mjs' },
      cases: [1, 2, 3].map((value) => ({
        name: `${value}`,
        input: { name, value },
        passCriteria: [name === 'B' ? 'result < 3' : 'true'],
      })),
    }),
  ]),
);
const tool = `
  import { appendFileSync } from 'node:fs';
  export default ({ name, value }) => {
    appendFileSync(new URL('./log.txt', import.meta.url), 'call ' + name + ' ' + value + '\\n');
    return value;
  };
`;

function projectOf(hooks: Hooks, more: object = {}): Promise<string> {
  return temporaryFolder({ ...scenarios, 'tool.mjs': tool, ...config(hooks, more) });
}

function linesOf(folder: string): string[] {
  const file = join(folder, 'log.txt');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
}

async function run(cwd: string, env: Record<string, string> = {}, ...args: string[]) {
  const result = await assayInProcess(['run', '--json', '--concurrency', '4', ...args], { cwd, env });
  return { ...result, document: result.stdout === '' ? undefined : JSON.parse(result.stdout) };
}

describe('hooks', () => {
  it('run in order around a run, its scenarios and its trials', async () => {
    const hooks = notingAll();
    const folder = await projectOf({
      ...hooks,
      beforeRun: [...(hooks.beforeRun ?? []), 'echo "$PWD $ASSAY_RUN_ID ${SOME_API_KEY-hidden}" > facts.txt'],
      beforeTrial: [...(hooks.beforeTrial ?? []), 'echo $ASSAY_TRIAL_ID >> trials.txt'],
    });
    const { exitCode, document } = await run(folder, { SOME_API_KEY: 'k-123' });
    expect([exitCode, document.totals]).toEqual([1, { planned: 6, pass: 5, fail: 1, error: 0, skipped: 0, notRun: 0 }]);
    expect(document.hookProblems).toBeUndefined();
    const lines = linesOf(folder);
    const at = (line: string): number => {
      expect(lines.filter((one) => one === line)).toHaveLength(1);
      return lines.indexOf(line);
    };
    expect(lines).toHaveLength(2 + 4 + 3 * 6);
    expect([at('beforeRun none'), at('afterRun fail')]).toEqual([0, lines.length - 1]);
    for (const [name, outcome] of [
      ['A', 'pass'],
      ['B', 'fail'],
    ]) {
      const [begin, end] = [at(`beforeScenario ${name} none`), at(`afterScenario ${name} ${outcome}`)];
      for (const value of [1, 2, 3]) {
        const ending = name === 'B' && value === 3 ? 'fail' : 'pass';
        const order = [
          begin,
          at(`beforeTrial ${name} ${value} none`),
          at(`call ${name} ${value}`),
          at(`afterTrial ${name} ${value} ${ending}`),
          end,
        ];
        expect(order).toEqual([...order].sort((a, b) => a - b));
      }
    }
    expect(readFileSync(join(folder, 'facts.txt'), 'utf8')).toBe(`${folder} ${document.runId} hidden\n`);
    const trials = document.trials.map(({ trialId }: { trialId: string }) => trialId);
    expect(readFileSync(join(folder, 'trials.txt'), 'utf8').trim().split('\n').sort()).toEqual(trials.sort());
  });

  it.each([
    ['Run', '', 6, ['afterRun error']],
    ['Scenario', 'test $ASSAY_SCENARIO = A || ', 3, ['afterScenario B error', 'afterRun error']],
    ['Trial', 'test $ASSAY_CASE = 1 || ', 4, ['afterTrial B 3 error', 'afterScenario B error']],
  ] as const)(
    'that fail before a %s make what they cover an error, and nothing of it runs',
    async (level, unless, errors, after) => {
      const hook = `before${level}`;
      const command = `${unless}{ echo no luck with k-1234567890 >&2; exit 3; }`;
      const folder = await projectOf({ ...notingAll(), [hook]: [command, 'touch never'] });
      const { exitCode, document } = await run(folder, { SOME_API_KEY: 'k-1234567890' });
      expect([exitCode, document.outcome, document.totals.error]).toEqual([3, 'error', errors]);
      const broken = document.trials.filter(({ outcome }: { outcome: string }) => outcome === 'error');
      for (const { reason, fault, durationMs, costUsd } of broken) {
        expect(reason).toContain(`The hook \`${hook}\` failed: \`${unless}`);
        expect(reason).toMatch(/ended with exit code 3: no luck with \[redacted/);
        expect([fault.code, fault.blame, durationMs, costUsd]).toEqual(['HOOK_FAILED', 'user', null, 0]);
      }
      const lines = linesOf(folder);
      expect(lines.filter((line) => line.startsWith('call'))).toHaveLength(6 - errors);
      expect(lines).toEqual(expect.arrayContaining([...after]));
      if (level === 'Run') expect(lines).toEqual(['afterRun error']);
      if (level === 'Scenario') expect(lines.filter((line) => /Trial B/.test(line))).toEqual([]);
      expect(existsSync(join(folder, 'never'))).toBe(level === 'Trial' || level === 'Scenario');
    },
  );

  it('that fail after something change no verdict, and are in every report', async () => {
    const failing = (hook: string) => [`echo ${hook} left k-1234567890; exit 4`, noting(hook)];
    const afters = Object.fromEntries(levels.map((level) => [`after${level}`, failing(`after${level}`)]));
    const served = await serveFiles({
      ...config(afters),
      'A.json': scenarios['A.json'] ?? '',
      'tool.mjs': tool,
    });
    onTestFinished(() => served[Symbol.asyncDispose]());
    const store = ['--store', `sqlite:${served.folder}/test.db`];
    const { exitCode, document } = await run(served.folder, { SOME_API_KEY: 'k-1234567890' }, ...store);
    expect([exitCode, document.outcome, document.totals.pass]).toEqual([0, 'pass', 3]);
    const problem = (hook: string) => ({
      hook,
      command: expect.stringMatching(`^echo ${hook} left .*; exit 4$`),
      message: expect.stringMatching(`^ended with exit code 4: ${hook} left \\[redacted`),
    });
    const problems = [
      { ...problem('afterTrial'), count: 3, scenario: 'A', trialId: expect.stringMatching(/^t-/) },
      { ...problem('afterScenario'), count: 1, scenario: 'A', trialId: null },
      { ...problem('afterRun'), count: 1, scenario: null, trialId: null },
    ];
    expect(document.hookProblems).toEqual(problems);
    expect(linesOf(served.folder).filter((line) => line.startsWith('after'))).toHaveLength(5);
    const { header } = await served.get<RunDetail>(`/api/runs/${document.runId}`);
    expect(header.hookProblems).toEqual(problems);
    for (const format of ['console', 'markdown', 'junit', 'html']) {
      const args = ['report', document.runId, '--format', format, '-o', '-', ...store];
      const { stdout } = await assayInProcess(args, { cwd: served.folder });
      const shown = levels.filter((level) => new RegExp(`after${level} left \\\\?\\[redacted`).test(stdout));
      expect([format, shown]).toEqual([format, levels]);
      if (format !== 'html') expect(stdout).toContain('The hook afterTrial failed 3 times, first for ');
    }
  });

  it('that hang are ended with all that they started', async () => {
    const mark = String(randomInt(1e8, 1e9));
    const hooks = {
      beforeTrial: [`test $ASSAY_CASE != 2 || { sleep ${mark} & sleep ${mark}; }`],
      afterRun: [`sleep ${mark}`],
    };
    const folder = await projectOf(hooks, { timeoutSecs: 1, scenarios: ['A.json'] });
    const { document } = await run(folder);
    expect(document.totals).toMatchObject({ pass: 2, error: 1 });
    expect(document.trials[1].reason).toContain('did not end within 1');
    expect(document.hookProblems).toMatchObject([
      { hook: 'afterRun', message: expect.stringContaining('did not end') },
    ]);
    expect(processesRunning(`sleep ${mark}`)).toEqual([]);
  });

  it('end an interrupted run within a limit, and run again when it is resumed', async () => {
    const mark = String(randomInt(1e8, 1e9));
    const hooks = notingAll();
    const hanging = `test -e go || sleep ${mark}`;
    const folder = await projectOf(
      { ...hooks, afterRun: [...(hooks.afterRun ?? []), hanging] },
      { timeoutSecs: 600, scenarios: ['A.json'] },
    );
    const waiting = tool.replace(
      'return value',
      "if (value < 3) return value; if (!existsSync(new URL('./go', import.meta.url))) return new Promise((resolve) => setTimeout(resolve, 6e5)); return value",
    );
    await writeFiles(folder, { 'tool.mjs': `import { existsSync } from 'node:fs';\n${waiting}` });
    const child = startAssay(['run', '--json', '--concurrency', '1'], { cwd: folder });
    onTestFinished(() => {
      child.kill('SIGKILL');
      for (const pid of processesRunning(`sleep ${mark}`)) process.kill(pid, 'SIGKILL');
    });
    const end = ended(child);
    await expect.poll(() => linesOf(folder), { timeout: 20_000 }).toContain('call A 3');
    child.kill('SIGINT');
    const { exitCode, stdout } = await end;
    const document = JSON.parse(stdout);
    expect([exitCode, document.status, document.totals]).toMatchObject([130, 'interrupted', { pass: 2, notRun: 1 }]);
    expect(linesOf(folder).slice(-3)).toEqual(['afterTrial A 3 skipped', 'afterScenario A error', 'afterRun error']);
    const message = expect.stringMatching(/^was ended 10.* after the run was interrupted$/);
    expect(document.hookProblems).toMatchObject([{ hook: 'afterRun', message }]);
    expect(processesRunning(`sleep ${mark}`)).toEqual([]);

    await writeFiles(folder, { go: '' });
    const resumed = await run(folder, {}, '--resume', document.runId);
    expect([resumed.exitCode, resumed.document.totals.pass]).toEqual([0, 3]);
    const lines = linesOf(folder);
    expect(lines.filter((line) => line === 'beforeRun none')).toHaveLength(2);
    expect(lines.filter((line) => line === 'beforeTrial A 1 none')).toHaveLength(1);
    expect(lines.slice(-3)).toEqual(['afterTrial A 3 pass', 'afterScenario A pass', 'afterRun pass']);
  }, 60_000);

  it.each([
    ['beforeRuns: [echo]', ':2:3', 'beforeRuns'],
    ['beforeRun: echo', ':2:14', 'beforeRun'],
    ['afterTrial: [echo, 5]', ':2:22', 'afterTrial'],
    ['afterRun: [" "]', ':2:14', 'a command must not be empty'],
  ])('are refused where they are wrong: %s', async (line, place, text) => {
    const folder = await temporaryFolder({
      ...scenarios,
      'tool.mjs': tool,
      'assay.config.yaml': `hooks:\n  ${line}\n`,
    });
    const { exitCode, stderr } = await run(folder);
    expect([exitCode, linesOf(folder)]).toEqual([2, []]);
    expect(stderr).toContain(`assay.config.yaml${place}`);
    expect(stderr).toContain(text);
  });

  describe.skipIf(!hasPostgres)('of a distributed run', () => {
    const postgres = usePostgres();

    it('run once around the run, and once on each worker around its scenarios', async () => {
      const cache = await temporaryFolder();
      const log = join(cache, 'log.txt');
      const url = await postgres.newSchema();
      const make = (hooks: Hooks) => DistributedProject.make(url, { rows: 4, tool: '', files: config(hooks) });
      const project = await make(notingAll(log));
      const detached = await project.run('--detach').end;
      expect([detached.exitCode, detached.stderr]).toEqual([
        2,
        expect.stringContaining('--detach leaves no process to run'),
      ]);
      const coordinator = project.run();
      const worker = project.worker(['--concurrency', '2']);
      const { exitCode, stdout } = await coordinator.end;
      expect([exitCode, JSON.parse(stdout).totals.pass]).toEqual([0, 4]);
      worker.child.kill('SIGTERM');
      await worker.end;
      const lines = linesOf(cache);
      expect(lines[0]).toBe('beforeRun none');
      for (const line of ['afterRun pass', 'beforeScenario Count none', 'afterScenario Count pass'])
        expect(lines.filter((one) => one === line)).toHaveLength(1);
      expect(lines.filter((line) => line.startsWith('afterTrial Count'))).toHaveLength(4);

      const broken = await make({ beforeRun: ['exit 3'] });
      const failed = await broken.run().end;
      expect([failed.exitCode, JSON.parse(failed.stdout).totals]).toMatchObject([3, { error: 4, notRun: 0 }]);
    });
  });
});
