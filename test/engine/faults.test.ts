import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fanOut } from '../../src/compose/run/run-listeners.ts';
import type { RunEvent } from '../../src/domain/run.ts';
import { openStore } from '../../src/keep/store/open-store.ts';
import type { Store } from '../../src/keep/store/store.ts';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { runCalls, writeCalls } from '../../src/testing/support/direct-calls.ts';
import { runOnEngine } from '../../src/testing/support/engine-run.ts';
import { scenarioOf, shakyAssertion, tool, verdict } from '../../src/testing/support/faulty-parts.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const parts = { targets: [tool], evaluators: [verdict, shakyAssertion] };
const steady = { type: 'tool', config: {} };
const passing = ['a', 'b', 'c', 'd', 'e'].map((name) =>
  scenarioOf(name, steady, [{ type: 'verdict', config: { state: 'pass' } }]),
);

function failing(store: Store, method: keyof Store): Store {
  return { ...store, [method]: () => Promise.reject(new Error('the disk is full')) };
}

describe('a fault while records are stored', () => {
  it('ends the run, tells of no trial that is not stored, and loses none that is', async () => {
    const folder = await temporaryFolder();
    await using store = await openStore('sqlite:store.db', folder);
    const full: Store = {
      ...store,
      saveTrials: async (trials) => {
        if (trials.some(({ record }) => record.scenario === 'late')) throw new Error('the disk is full');
        await store.saveTrials(trials);
      },
    };
    const told: string[] = [];
    let tellAll: () => void = () => {};
    const allTold = new Promise<void>((resolve) => {
      tellAll = resolve;
    });
    const emit = (event: RunEvent): void => {
      if (event.type === 'trial-finished') told.push(event.record.scenario);
      if (told.length === passing.length) tellAll();
    };
    const judgeLate = async (): Promise<unknown> => {
      await allTold;
      return { state: 'pass', reason: 'late' };
    };
    const late = scenarioOf('late', steady, [{ type: 'shaky-assertion', config: { misbehave: judgeLate } }]);
    const scenarios = [...passing, late];
    const run = runOnEngine(scenarios, { ...parts, store: full, emit });
    await expect(run).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', exitCode: 3, message: 'the disk is full' });
    const stored = await store.readTrials('r-engine', { limit: 10 });
    expect(stored.map((record) => record.scenario)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(told).toEqual(['a', 'b', 'c', 'd', 'e']);

    const { summary } = await runOnEngine(scenarios, { ...parts, store });
    expect(summary.totals).toEqual({ planned: 6, pass: 6, fail: 0, error: 0, skipped: 0, notRun: 0 });
  });

  it.each(['countTrials', 'releaseRun'] as const)('never ends in a summary: %s', async (method) => {
    await using store = await openStore('sqlite::memory:', '/');
    await expect(runOnEngine(passing, { ...parts, store: failing(store, method) })).rejects.toThrow('the disk is full');
  });
});

describe('a listener that throws', () => {
  it('is told no more, and changes nothing', async () => {
    const dropped: unknown[] = [];
    const heard: string[] = [];
    const angry = (event: RunEvent): void => {
      if (event.type === 'trial-finished') throw new Error('I do not want to know');
    };
    const emit = fanOut([angry, ({ type }) => void heard.push(type)], (error) => dropped.push(error));
    const { summary } = await runOnEngine(passing, { ...parts, emit });
    expect(summary.totals).toEqual({ planned: 5, pass: 5, fail: 0, error: 0, skipped: 0, notRun: 0 });
    expect(dropped).toEqual([new Error('I do not want to know')]);
    expect(heard.filter((type) => type === 'trial-finished')).toHaveLength(5);
  });
});

describe('a fault before or after the run', () => {
  it.each([
    ['a file that is not JSON', '{ "name": '],
    [
      'a target that is not known',
      '{ "name": "x", "call": { "comand": "true" }, "input": 1, "passCriteria": ["true"] }',
    ],
    [
      'a criterion that cannot be read',
      '{ "name": "x", "call": { "command": "true" }, "input": 1, "passCriteria": ["result ==="] }',
    ],
    ['a URL that is none', '{ "name": "x", "call": { "url": "ftp://x" }, "input": 1, "passCriteria": ["true"] }'],
    [
      'a module that is not there',
      '{ "name": "x", "call": { "module": "./none.mjs" }, "input": 1, "passCriteria": ["true"] }',
    ],
  ])('keeps everything from being run: %s', async (_, text) => {
    const folder = await temporaryFolder({ 'wrong.json': text });
    await writeCalls(folder, { right: { call: { command: 'touch ran; echo 1' } } });
    const ended = await assay(['run', '.', '--json'], { cwd: folder });
    expect(ended).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringMatching(/wrong\.json:\d+:\d+: /) });
    expect(await readdir(folder)).not.toContain('ran');
  });

  it.each([
    ['all passed', 'echo 1', 3],
    ['something failed', 'echo 2', 1],
  ])('leaves the verdicts as they are when a report cannot be written: %s', async (_, command, exitCode) => {
    const folder = await temporaryFolder({ 'in-the-way': '' });
    await writeCalls(folder, { it: { call: { command }, passCriteria: ['result === 1'] } });
    const args = ['run', '--reporter', 'junit', '--output', join('in-the-way', 'reports')];
    const ended = await assay(args, { cwd: folder });
    expect(ended).toMatchObject({ exitCode, stderr: expect.stringContaining('the junit report could not be written') });
    const shown = await assay(['show', 'latest', '--json'], { cwd: folder });
    expect(JSON.parse(shown.stdout)).toMatchObject({ totals: { planned: 1, pass: exitCode === 3 ? 1 : 0 } });
  });

  it('gives each kind of ending its own exit code', async () => {
    const passes = { call: { command: 'echo 1' }, passCriteria: ['result === 1'] };
    const fails = { call: { command: 'echo 2' }, passCriteria: ['result === 1'] };
    const breaks = { call: { command: 'echo junk' } };
    const missing = { call: { command: 'no-such-program-anywhere' } };
    const mixtures = [
      { passes },
      { passes, fails },
      { passes, breaks },
      { passes, fails, breaks },
      { passes, fails, missing },
      { passes, missing },
      { missing },
    ];
    const exitCodes: (number | null)[] = [];
    for (const calls of mixtures) {
      const { exitCode, totals } = await runCalls(await temporaryFolder(), calls);
      expect(totals.pass + totals.fail + totals.error + totals.skipped + totals.notRun).toBe(totals.planned);
      exitCodes.push(exitCode);
    }
    expect(exitCodes).toEqual([0, 1, 3, 1, 1, 3, 2]);
  });
});
