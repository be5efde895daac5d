import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { plainWords } from '../../src/shared/blocks/block.ts';
import { assayInProcess } from '../../src/testing/support/assay-in-process.ts';
import { reportDocumentIn } from '../../src/testing/support/reported-figures.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

/** A tool whose answers are in a file: `+` right, `-` wrong; one sign for each call. */
const tool = `
import { readFileSync } from 'node:fs';
const calls = new Map();
export const answer = ({ key }) => {
  const signs = JSON.parse(readFileSync(new URL('./world.json', import.meta.url), 'utf8'))[key];
  const call = calls.get(key) ?? 0;
  calls.set(key, call + 1);
  return { ok: signs[call % signs.length] === '+' };
};
`;

type World = Readonly<Record<string, string>>;

/** A project whose cases are the keys of the world, with five trials each. */
async function project(world: World, ci: object = {}, caseRules: Readonly<Record<string, object>> = {}) {
  const repeat = Math.max(...Object.values(world).map((signs) => signs.length));
  const scenario = {
    name: 'suite',
    call: { module: './tool.mjs', export: 'answer' },
    repeat,
    passCriteria: ['result.ok === true'],
    ...(Object.keys(ci).length > 0 && { ci }),
    cases: Object.keys(world).map((key) => ({
      name: key,
      input: { key },
      ...(caseRules[key] && { ci: caseRules[key] }),
    })),
  };
  const folder = await temporaryFolder({
    'tool.mjs': tool,
    'assay.config.json': JSON.stringify({ scenarios: ['suite.json'] }),
    'suite.json': JSON.stringify(scenario),
    'world.json': JSON.stringify(world),
  });
  const assay = (...args: string[]) => assayInProcess(args, { cwd: folder });
  return {
    folder,
    assay,
    become: (next: World) => writeFile(join(folder, 'world.json'), JSON.stringify(next)),
    run: async (...args: string[]) => {
      const { exitCode, stdout, stderr } = await assay('run', '-q', '--concurrency', '1', '--json', ...args);
      return { exitCode, stderr, document: stdout === '' ? undefined : JSON.parse(stdout) };
    },
  };
}

const past = '2001-02-03';
const future = '2999-12-31';

describe('flaky and broken cases beside a baseline', () => {
  const steady = { a: '+++++', b: '+++++', c: '+++++' };

  it('a case from 5/5 to 3/5 may be chance, and does not fail the build; one from 5/5 to 0/5 is broken', async () => {
    const { run, assay, become } = await project(steady);
    await run();
    await assay('baseline', 'set');
    await become({ ...steady, b: '+-+-+' });
    const flaky = await run('--baseline', 'default');
    expect(flaky).toMatchObject({ exitCode: 0, document: { ci: { outcome: 'pass' } } });
    expect(flaky.document.ci.cases).toMatchObject([
      { caseId: 'b', kind: 'unclear', excuse: 'chance', passed: 3, failed: 2, before: { passed: 5, failed: 0 } },
    ]);
    expect(flaky.stderr).toContain('passes less often: suite › b: passed 5 of 5 before, 3 of 5 now');
    await become({ ...steady, b: '+-+-+', c: '-----' });
    const broken = await run('--baseline', 'default');
    expect(broken).toMatchObject({ exitCode: 1, document: { ci: { outcome: 'fail' } } });
    expect(broken.document.ci.cases).toMatchObject([
      { caseId: 'b', kind: 'unclear', excuse: 'chance' },
      { caseId: 'c', kind: 'broken', excuse: null },
    ]);
  });

  it('without a baseline, every failure counts', async () => {
    const { run } = await project({ a: '+-+++' });
    const found = await run();
    expect(found.exitCode).toBe(1);
    expect(found.document.ci).toBeUndefined();
  });

  it('too few trials cannot tell, so a failure counts', async () => {
    const { run, assay, become } = await project({ a: '++', b: '++' });
    await run();
    await assay('baseline', 'set');
    await become({ a: '++', b: '+-' });
    const found = await run('--baseline', 'default');
    expect(found).toMatchObject({ exitCode: 1, document: { ci: { cases: [{ kind: 'failing', excuse: null }] } } });
  });

  it('a case that the baseline does not know fails', async () => {
    const { run, assay, become, folder } = await project({ a: '+++++' });
    await run();
    await assay('baseline', 'set');
    const scenario = { name: 'new', call: { module: './tool.mjs', export: 'answer' }, repeat: 5 };
    await writeFile(
      join(folder, 'new.json'),
      JSON.stringify({ ...scenario, input: { key: 'n' }, passCriteria: ['result.ok === true'] }),
    );
    await become({ a: '+++++', n: '++-++' });
    const found = await run('suite.json', 'new.json', '--baseline', 'default');
    expect(found).toMatchObject({ exitCode: 1, document: { ci: { cases: [{ scenario: 'new', kind: null }] } } });
  });

  it('stand in the reports for JUnit and GitHub', async () => {
    const { run, assay, become } = await project(steady);
    await run();
    await become({ ...steady, b: '+-+-+', c: '-----' });
    await run();
    const report = async (format: string) =>
      (await assay('report', 'latest', '--compare', 'latest~1', '--format', format, '-o', '-')).stdout;
    const junit = await report('junit');
    expect(junit.match(/<skipped message="passes less often: passed 5 of 5 before, 3 of 5 now; /g)).toHaveLength(2);
    expect(junit.match(/<failure message="broken: passed 5 of 5 before, 0 of 5 now: /g)).toHaveLength(5);
    expect(junit).toMatch(/<testcase name="baseline: check: suite › c" classname="baseline">/);
    const [, tests, failures, skipped] =
      /<testsuites [^>]*tests="(\d+)" failures="(\d+)" errors="0" skipped="(\d+)"/.exec(junit) ?? [];
    expect(Number(tests)).toBe(junit.match(/<testcase /g)?.length);
    expect(Number(failures)).toBe(junit.match(/<failure /g)?.length);
    expect(Number(skipped)).toBe(2);
    const page = await report('github');
    expect(page).toContain('### ❌ Assay: failed; 7 of 15 trials failed');
    expect(page).toContain('<li>❌ <code>suite › c: broken: passed 5 of 5 before, 0 of 5 now</code></li>');
    expect(page).toContain('<code>suite › b: passes less often: passed 5 of 5 before, 3 of 5 now;');
    const annotations = await report('github-annotations');
    expect(annotations).toContain('::error file=suite.json,line=1,title=Assay%3A suite › c::broken: passed 5 of 5');
    expect(annotations).toContain(
      '::notice file=suite.json,line=1,title=Assay%3A suite › b::passes less often: passed 5 of 5',
    );
  });

  it('stand in the check of a baseline', async () => {
    const { run, assay, become } = await project(steady);
    await run();
    await assay('baseline', 'set');
    await become({ ...steady, b: '+-+-+', c: '-----' });
    await run();
    const check = await assay('baseline', 'check', '--json');
    expect(check.exitCode).toBe(1);
    expect(JSON.parse(check.stdout).failing).toMatchObject([
      { caseId: 'b', kind: 'unclear' },
      { caseId: 'c', kind: 'broken', chance: expect.closeTo(0.001, 3) },
    ]);
  });
});

describe('limits of a file', () => {
  it('minPassRate of a case lets it fail now and then, and no more often', async () => {
    const { run, become } = await project({ a: '++++-' }, {}, { a: { minPassRate: 0.8 } });
    expect(await run()).toMatchObject({
      exitCode: 0,
      document: { ci: { limits: [{ rule: 'minPassRate', caseId: 'a', state: 'met', required: 0.8, observed: 0.8 }] } },
    });
    await become({ a: '+++--' });
    const missed = await run();
    expect(missed).toMatchObject({ exitCode: 1, document: { ci: { outcome: 'fail', limits: [{ state: 'missed' }] } } });
    expect(missed.document.ci.reason).toContain('1 limit missed');
  });

  it('minPassRate of a scenario is about all its cases together', async () => {
    const { run } = await project({ a: '+++++', b: '+++++', c: '-----' }, { minPassRate: 0.66 });
    expect(await run()).toMatchObject({
      exitCode: 0,
      document: { ci: { limits: [{ caseId: null, state: 'met' }], cases: [{ caseId: 'c', excuse: 'limit' }] } },
    });
  });

  it('passK is the chance that all of k trials pass', async () => {
    // pass^2 of 4 of 5 is C(4,2) / C(5,2) = 0.6.
    const kept = await project({ a: '++++-' }, { passK: { k: 2, atLeast: 0.6 } });
    expect(await kept.run()).toMatchObject({
      exitCode: 0,
      document: { ci: { limits: [{ observed: expect.closeTo(0.6, 10) }] } },
    });
    const missed = await project({ a: '++++-' }, { passK: { k: 2, atLeast: 0.61 } });
    expect((await missed.run()).exitCode).toBe(1);
  });

  it('passK of more trials than there are cannot be judged', async () => {
    const { run, assay } = await project({ a: '++' }, { passK: { k: 3, atLeast: 0.5 } });
    expect((await assay('validate')).stderr).toContain('pass^3 cannot be judged: each case runs 2 times');
    expect(await run()).toMatchObject({
      exitCode: 3,
      document: { ci: { limits: [{ state: 'unknown', observed: null }] } },
    });
    expect((await run('--repeat', '3')).exitCode).toBe(0);
  });

  it('do not make another scenario: a baseline stays comparable', async () => {
    const { run, assay, folder } = await project({ a: '+++++' });
    await run();
    await assay('baseline', 'set');
    const file = join(folder, 'suite.json');
    const scenario = JSON.parse(await readFile(file, 'utf8'));
    await writeFile(file, JSON.stringify({ ...scenario, ci: { role: 'holdout', maxCostRise: '20%' } }));
    expect(await run('--baseline', 'default')).toMatchObject({
      exitCode: 0,
      document: { ci: { limits: [{ rule: 'maxCostRise', required: 0.2, state: 'met' }] } },
    });
    expect(await run()).toMatchObject({ exitCode: 0, document: { ci: { limits: [{ state: 'not-checked' }] } } });
  });
});

/** An agent that costs what the world says, in USD for each trial; null: it does not report its cost; `down`: no answer. */
const agent = `
import { readFileSync } from 'node:fs';
const counts = new Map();
export const answer = ({ messages }) => {
  const { content } = messages.at(-1);
  const count = counts.get(content) ?? 0;
  counts.set(content, count + 1);
  const costs = JSON.parse(readFileSync(new URL('./world.json', import.meta.url), 'utf8'))[content];
  const costUsd = costs[count % costs.length];
  if (costUsd === 'down') throw new Error('The agent is down.');
  return { content: 'ok', ...(costUsd !== null && { costUsd }) };
};
`;

describe('maxCostRise', () => {
  type Costs = Readonly<Record<string, readonly (number | null | 'down')[]>>;
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
  const each = (of: (place: number) => readonly (number | null)[]): Costs =>
    Object.fromEntries(names.map((name, place) => [name, of(place)]));
  const before = each((place) => [0.01, 0.0102, 0.0104, 0.0106].map((usd) => usd * (1 + place / 10)));
  const risen = (factor: number) =>
    each((place) => (before[names[place] ?? ''] ?? []).map((usd) => Number(usd) * factor));

  /** A project whose baseline has the costs `before`. */
  async function costly(ci: object, first: Costs = before) {
    const scenario = {
      name: 'suite',
      connector: { type: 'module', config: { module: './agent.mjs', export: 'answer' } },
      messages: [{ role: 'user', content: '{{name}}' }],
      dataset: './cases.jsonl',
      repeat: 4,
      evaluators: [{ type: 'contains', config: { text: 'ok' } }],
      ...(Object.keys(ci).length > 0 && { ci }),
    };
    const folder = await temporaryFolder({
      'agent.mjs': agent,
      'assay.config.json': JSON.stringify({ scenarios: ['suite.json'] }),
      'suite.json': JSON.stringify(scenario),
      'cases.jsonl': names.map((name) => `${JSON.stringify({ name })}\n`).join(''),
    });
    const runWith = async (world: Costs, ...args: string[]) => {
      await writeFile(join(folder, 'world.json'), JSON.stringify(world));
      const { exitCode, stdout, stderr } = await assayInProcess(['run', '-q', '--json', ...args], { cwd: folder });
      return { exitCode, stderr, ci: stdout === '' ? undefined : JSON.parse(stdout).ci };
    };
    expect((await runWith(first)).stderr).toBe('');
    await assayInProcess(['baseline', 'set'], { cwd: folder });
    return (world: Costs, ...args: string[]) => runWith(world, '--baseline', 'default', ...args);
  }

  it('of a scenario fails the build if its mean cost rose by more', async () => {
    const run = await costly({ maxCostRise: '20%' });
    expect(await run(risen(1.1))).toMatchObject({ exitCode: 0, ci: { limits: [{ state: 'met', caseId: null }] } });
    const missed = await run(risen(1.5));
    expect(missed).toMatchObject({
      exitCode: 1,
      ci: { outcome: 'fail', limits: [{ state: 'missed', required: 0.2 }] },
    });
    expect(missed.ci.limits[0].message).toContain('cost rose by 50 %, more than 20 %');
    expect(missed.stderr).toContain('suite: cost rose by 50 %');
  });

  it('of a case is about its trials alone', async () => {
    const run = await costly({ cases: { b: { maxCostRise: '20%' } } });
    expect(await run({ ...risen(3), b: before.b ?? [] })).toMatchObject({
      exitCode: 0,
      ci: { limits: [{ rule: 'maxCostRise', caseId: 'b', state: 'met' }] },
    });
    const missed = await run({ ...before, b: [0.03, 0.031, 0.032, 0.033] });
    expect(missed).toMatchObject({ exitCode: 1, ci: { limits: [{ caseId: 'b', state: 'missed' }] } });
    expect(missed.stderr).toContain('suite › b: cost rose by');
  });

  it('that one large trial explains is reported, and does not fail the build', async () => {
    const run = await costly({ maxCostRise: '20%' });
    const unclear = await run({ ...before, c: [0.01, 0.01, 0.01, 0.5] });
    expect(unclear).toMatchObject({ exitCode: 0, ci: { limits: [{ state: 'unclear' }] } });
  });

  it('cannot be judged if the cost of one trial is unknown, now or before: it is never taken as 0', async () => {
    const oneUnknown = { ...before, b: [0.01, null, 0.01, 0.01] };
    const unknown = {
      exitCode: 3,
      ci: {
        outcome: 'error',
        limits: [{ state: 'unknown', message: expect.stringContaining('not known for 1 of 56 trials') }],
      },
    };
    const run = await costly({ maxCostRise: '20%' });
    expect(await run(oneUnknown)).toMatchObject(unknown);
    expect(await run(each(() => [null]))).toMatchObject({ exitCode: 3, ci: { limits: [{ state: 'unknown' }] } });
    const later = await costly({ cases: { b: { maxCostRise: '20%' } } }, oneUnknown);
    expect(await later(before)).toMatchObject({ exitCode: 3, ci: { limits: [{ state: 'unknown', caseId: 'b' }] } });
  });

  it('beside minPassRate: a limit that trials without a verdict could decide is unknown', async () => {
    const run = await costly({ minPassRate: 0.97 });
    expect(await run({ ...before, b: ['down', 0.01, 0.01, 0.01] })).toMatchObject({
      exitCode: 3,
      ci: { outcome: 'error', limits: [{ rule: 'minPassRate', state: 'unknown' }] },
    });
  });

  it('of the command line cannot be judged either', async () => {
    const run = await costly({});
    expect(await run(each(() => [null]))).toMatchObject({ exitCode: 0 });
    const found = await run(
      each(() => [null]),
      '--max-cost-rise',
      '20%',
    );
    expect(found.exitCode).toBe(3);
    expect(found.stderr).toContain('cost not checked: it is not known for 28 of 56 trials');
    expect((await run(risen(1.5), '--max-cost-rise', '20%')).exitCode).toBe(1);
  });
});

describe('roles', () => {
  it('failures of a capability do not fail the build, and are reported', async () => {
    const { run, assay } = await project({ a: '-----', b: '+++++' }, { role: 'capability' });
    expect(await run()).toMatchObject({ exitCode: 0, document: { outcome: 'fail', ci: { outcome: 'pass' } } });
    const { stdout } = await assay('report', 'latest', '--format', 'junit', '-o', '-');
    expect(stdout).toContain('<skipped message="capability: failures do not fail the build: ');
    expect(stdout).not.toContain('<failure');
    const text = await assay('report', 'latest', '--format', 'console', '-o', '-');
    expect(text.stdout).toContain('capability: 1 of 2 cases passed in every trial');
    const page = await assay('report', 'latest', '--format', 'html', '-o', '-');
    const { ci } = reportDocumentIn(page.stdout).run;
    expect(plainWords(ci?.title ?? '')).toContain('CI: Nothing that counts failed (failures that do not');
    const lines = ci?.blocks.flatMap((block) => (block.kind === 'list' ? block.items : []));
    expect(lines).toContainEqual({ mark: 'note', words: 'capability: 1 of 2 cases passed in every trial' });
  });

  it('failures of regressions and holdouts do', async () => {
    for (const role of ['regression', 'holdout']) {
      const { run } = await project({ a: '+++-+' }, { role });
      expect((await run()).exitCode).toBe(1);
    }
  });

  it('a broken capability is no regression', async () => {
    const { run, assay, become } = await project({ a: '+++++', b: '+++++' }, {}, { a: { role: 'capability' } });
    await run();
    await assay('baseline', 'set');
    await become({ a: '-----', b: '+++++' });
    const found = await run('--baseline', 'default');
    expect(found).toMatchObject({
      exitCode: 0,
      document: { ci: { cases: [{ caseId: 'a', kind: 'broken', excuse: 'capability' }] } },
    });
    expect(found.stderr).toContain('1 case with failures, 1 of them broken, not counted');
  });
});

describe('quarantine', () => {
  const until = (day: string) => ({ quarantine: { until: day, owner: 'ann', reason: 'slow server' } });

  it('sets a case aside until its day', async () => {
    const { run, assay } = await project({ a: '-----', b: '+++++' }, {}, { a: until(future) });
    expect(await run()).toMatchObject({
      exitCode: 0,
      document: {
        ci: { cases: [{ caseId: 'a', excuse: 'quarantined', quarantine: { owner: 'ann', isExpired: false } }] },
      },
    });
    const { stdout } = await assay('report', 'latest', '--format', 'console', '-o', '-');
    expect(stdout).toContain(`suite › a: quarantined until ${future} (owner ann: slow server) (passed 0 of 5)`);
  });

  it('counts again after its day, and says so', async () => {
    const { run, assay } = await project({ a: '-----', b: '+++++' }, {}, { a: until(past) });
    const found = await run();
    expect(found).toMatchObject({ exitCode: 1, document: { ci: { outcome: 'fail' } } });
    expect(found.document.ci.reason).toContain('1 quarantine expired');
    const { stdout } = await assay('report', 'latest', '--format', 'junit', '-o', '-');
    expect(stdout).toContain(
      `<failure message="quarantine expired on ${past}, so it counts again (owner ann: slow server): `,
    );
  });

  it('of everything leaves nothing to judge', async () => {
    const { run } = await project({ a: '-----' }, until(future));
    const found = await run();
    expect(found).toMatchObject({ exitCode: 3, document: { ci: { outcome: 'error' } } });
    expect(found.document.ci.reason).toContain('No case counts: all are quarantined');
  });
});

describe('cases of an earlier run', () => {
  const world = { a: '+++', b: '+-+', c: '---' };
  const caseIds = ({ document }: { document: { trials: { caseId: string }[] } }) => [
    ...new Set(document.trials.map(({ caseId }) => caseId)),
  ];

  it('are selected by --failed and --flaky, from the latest run or another', async () => {
    const { run, become } = await project(world);
    const first = await run('--name', 'The first');
    expect(first.document.name).toBe('The first');
    expect(caseIds(await run('--flaky'))).toEqual(['b']);
    expect(caseIds(await run('--failed', '--from', first.document.runId))).toEqual(['b', 'c']);
    await become({ ...world, c: '+++' });
    const again = await run('--failed', '--flaky', '--repeat', '6');
    expect(again.document.trials).toHaveLength(12);
    expect(again.document.totals).toMatchObject({ planned: 12, fail: 2 });
  });

  it('are those of the files that were run, without naming them again', async () => {
    const { run, folder } = await project(world);
    await writeFile(join(folder, 'assay.config.json'), JSON.stringify({ scenarios: ['nowhere'] }));
    await run('suite.json');
    expect(caseIds(await run('--failed'))).toEqual(['b', 'c']);
    expect(caseIds(await run('--from', 'latest~1'))).toEqual(['a', 'b', 'c']);
  });

  it('are none: nothing is run', async () => {
    const { run } = await project({ a: '+++', b: '---' });
    await run();
    expect(await run('--flaky')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('passed in some trials and failed in others'),
    });
    expect(await run('--failed', '--from', 'r-none')).toMatchObject({ exitCode: 2 });
    expect((await run('--from', 'latest', '--resume', 'latest')).stderr).toContain('cannot be combined with --resume');
    expect((await run('--failed', '--resume', 'latest')).stderr).toContain('cannot be combined with --resume');
  });

  it('that the file does not have any more are reported', async () => {
    const { run, folder } = await project(world);
    await run();
    const file = join(folder, 'suite.json');
    const scenario = JSON.parse(await readFile(file, 'utf8'));
    const without = (name: string) => scenario.cases.filter((one: { name: string }) => one.name !== name);
    await writeFile(file, JSON.stringify({ ...scenario, cases: without('c') }));
    expect(caseIds(await run('--failed'))).toEqual(['b']);
    await writeFile(file, JSON.stringify({ ...scenario, cases: without('b') }));
    expect(await run('--failed')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('is there now'),
    });
  });
});

describe('rules that cannot be used', () => {
  it.each([
    { ci: { quarantine: { until: '2026-02-30', owner: 'ann' } }, message: '`until` must be a date such as 2027-01-31' },
    { ci: { quarantine: { until: future } }, message: '`ci.quarantine.owner` is missing' },
    { ci: { role: 'regresion' }, message: 'regression' },
    { ci: { minPassRate: 80 }, message: 'minPassRate' },
    { ci: { minPasRate: 0.8 }, message: 'unknown key `minPasRate`' },
    { ci: { passK: { k: 0, atLeast: 0.5 } }, message: 'ci.passK.k' },
    { ci: { maxCostRise: 'much' }, message: 'ci.maxCostRise' },
    { ci: { cases: { z: { role: 'capability' } } }, message: 'the scenario has no case "z"' },
  ])('are refused with their place: $message', async ({ ci, message }) => {
    const { assay } = await project({ a: '+', b: '+' }, ci);
    const found = await assay('run', '-q');
    expect(found.exitCode).toBe(2);
    expect(found.stderr).toContain(message);
    expect(found.stderr).toMatch(/suite\.json:\d+:\d+/);
  });
});
