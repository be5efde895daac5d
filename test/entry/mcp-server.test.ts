import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { assay, programPath } from '../../src/testing/support/assay.ts';
import { writeCalls } from '../../src/testing/support/direct-calls.ts';
import { connectToAssay } from '../../src/testing/support/mcp-client.ts';
import { startSpeaking } from '../../src/testing/support/raw-mcp.ts';
import { projectOfSleepers, sleepersOf, untilBegun, untilGone } from '../../src/testing/support/sleeping-tool.ts';
import { temporaryFolder, writeFiles } from '../../src/testing/support/temporary-folder.ts';

/** Two scenarios: `echo` answers its input, of which one case is wrong, and `other` is right. */
async function projectOfEchoes(): Promise<string> {
  const folder = await temporaryFolder();
  const cases = [
    { name: 'three', input: { value: 3 }, passCriteria: ['result.value === 3'] },
    { name: 'four', input: { value: 3 }, passCriteria: ['result.value === 4'] },
  ];
  await writeCalls(folder, {
    echo: { call: { command: 'cat' }, cases },
    other: { call: { command: 'cat' }, input: { value: 1 } },
  });
  return folder;
}

describe('assay mcp', () => {
  it('describes its tools and all of their arguments, and says which of them change something', async () => {
    const { client } = await connectToAssay(await temporaryFolder());
    const { tools } = await client.listTools();
    const names = ['list_scenarios', 'validate', 'run', 'show', 'list_runs', 'compare', 'judge'];
    expect(tools.map(({ name }) => name)).toEqual(names);
    for (const { name, description, inputSchema, outputSchema, annotations } of tools) {
      expect(description?.length).toBeGreaterThan(80);
      expect(outputSchema?.type).toBe('object');
      const fields = Object.entries((inputSchema.properties ?? {}) as Record<string, { description?: string }>);
      expect(fields.filter(([, field]) => !field.description).map(([field]) => field)).toEqual([]);
      expect(annotations?.readOnlyHint).toBe(name !== 'run' && name !== 'list_scenarios');
      expect(annotations?.openWorldHint).toBe(name === 'run');
    }
    expect(client.getInstructions()).toContain('list_scenarios');
  });

  it('goes from a list of scenarios to the reason of a failure and a comparison', async () => {
    const folder = await projectOfEchoes();
    const { call } = await connectToAssay(folder);

    const listed = await call('list_scenarios');
    expect(listed.data).toMatchObject({
      total: 2,
      scenarios: [{ name: 'echo', cases: 2 }, { name: 'other' }],
      more: null,
    });
    expect(listed.text).toContain('echo (echo.json, 2 cases)');

    const told: number[] = [];
    const ran = await call(
      'run',
      { repeat: 2 },
      { onprogress: ({ progress, total }) => told.push(progress, total ?? 0) },
    );
    expect(ran.data).toMatchObject({
      run: { status: 'finished', outcome: 'fail', totals: { planned: 6, pass: 4, fail: 2, error: 0, skipped: 0 } },
      problems: [{ scenario: 'echo', caseId: 'four', outcome: 'fail', count: 2 }],
    });
    expect(told.slice(0, 2)).toEqual([0, 6]);
    expect(told.slice(-2)).toEqual([6, 6]);

    const { trialId } = (ran.data.problems as { trialId: string }[])[0] ?? { trialId: '' };
    expect(ran.text).toContain(trialId);
    const trial = await call('show', { what: trialId });
    expect(trial.text).toContain('result.value is 3');
    expect(trial.data).toMatchObject({
      kind: 'trial',
      trial: { outcome: 'fail', trace: { total: 2, from: 0 } },
      more: null,
    });
    const event = await call('show', { what: trialId, event: 1 });
    expect(JSON.parse(event.text)).toMatchObject({ type: 'tool-result', result: { value: 3 } });

    await writeFiles(folder, {
      'echo.json': JSON.stringify({
        name: 'echo',
        call: { command: 'cat' },
        cases: [
          { name: 'three', input: { value: 4 }, passCriteria: ['result.value === 3'] },
          { name: 'four', input: { value: 4 }, passCriteria: ['result.value === 4'] },
        ],
      }),
    });
    const again = await call('run', { scenario: 'echo' });
    expect(again.data).toMatchObject({ run: { totals: { planned: 2, pass: 1, fail: 1 } } });

    const { runs } = (await call('list_runs')).data as { runs: { runId: string }[] };
    expect(runs).toHaveLength(2);
    const compared = await call('compare', { a: runs[1]?.runId });
    // The file has changed in between, so the two are refused as `assay compare` refuses them.
    expect(compared.data).toMatchObject({ answer: 'not-comparable', changes: [] });
    const forced = await call('compare', { a: runs[1]?.runId, force: true });
    expect(forced.data).toMatchObject({
      answer: 'not-enough-data',
      isForced: true,
      counts: { broke: 1, fixed: 1, 'only-in-a': 1, 'only-in-b': 0 },
    });
    expect(forced.data.changes).toContainEqual(
      expect.objectContaining({ caseId: 'three', change: 'broke', passedA: 2, triedA: 2, passedB: 0, triedB: 1 }),
    );
  });

  it('runs an experiment until it is decided, shows the decision later, and refuses questions without an answer', async () => {
    const folder = await temporaryFolder();
    await cp(fileURLToPath(new URL('../../examples/experiment', import.meta.url)), folder, { recursive: true });
    const { call } = await connectToAssay(folder);
    const connectors = ['before', 'after'];

    const ran = await call('run', { connectors, experiment: { by: 'connector' } });
    const decision = {
      by: 'connector',
      metric: 'pass-rate',
      reference: 'before',
      ending: 'decided',
      reason: null,
      rounds: { done: 2, planned: 5 },
      variants: [{ arm: 'after', answer: 'better', trialsToDecide: null }],
    };
    expect(ran.data).toMatchObject({ experiment: decision });
    expect(ran.text).toContain('after: better than before: pass rate');
    expect(ran.text).toContain('decided in round 2 of 5');
    const shown = await call('show', { what: 'latest', limit: 1 });
    expect(shown.data.experiment).toEqual(ran.data.experiment);
    expect(shown.text).toContain('decided in round 2 of 5');

    const unmeasured = await call('run', { connectors, experiment: { by: 'connector', metric: 'tokens' } });
    expect(unmeasured.data).toMatchObject({
      experiment: { ending: 'nothing-to-compare', rounds: { done: 1, planned: 5 }, variants: [] },
    });
    expect(unmeasured.text).toContain('No case has the figure tokens under both "before" and "after".');

    const refused = async (wish: Record<string, unknown>) => (await call('run', { connectors, ...wish })).text;
    expect(await refused({ experiment: { by: 'connector' }, repeat: 3 })).toContain('cannot be combined with');
    expect(await refused({ experiment: { by: 'connector', maxTrials: 1 } })).toContain('more than the limit of 1');
    expect(await refused({ experiment: { by: 'connector', reference: 'befor' } })).toContain('Did you mean `before`?');
    expect(await refused({ experiment: { by: 'guidance' } })).toContain('only one variant by guidance');
    const { runs } = (await call('list_runs')).data as { runs: unknown[] };
    expect(runs).toHaveLength(2);
    const plain = await call('run', { connectors: ['before'] });
    expect(plain.data).not.toHaveProperty('experiment');
  });

  it('does not count trials that could not be judged as failures when it compares', async () => {
    const folder = await temporaryFolder({
      'tool.mjs': 'export const echo = (input) => (input.breaks ? 1n : input);\n',
      'echo.yaml': `name: echo
call: { module: ./tool.mjs, export: echo }
repeat: 3
input: { breaks: false }
passCriteria: [result.breaks === false]
`,
    });
    const { call } = await connectToAssay(folder);
    await call('run');
    await writeFiles(folder, { 'tool.mjs': 'export const echo = () => 1n;\n' });
    const ran = await call('run');
    expect(ran.data).toMatchObject({ run: { totals: { pass: 0, error: 3 } } });
    const { runs } = (await call('list_runs')).data as { runs: { runId: string }[] };
    const { data, text } = await call('compare', { a: runs[1]?.runId });
    expect(data).toMatchObject({
      answer: 'nothing-to-compare',
      a: { passRate: { rate: 1, trials: 3 } },
      b: { passRate: { rate: null, trials: 0 } },
      counts: { broke: 0, unjudged: 1 },
    });
    expect(text).toContain('Nothing can be compared');
    expect(text).not.toMatch(/worse/);
  });

  it('speaks the newest revision of the protocol too', async () => {
    const { client, call } = await connectToAssay(
      await projectOfEchoes(),
      {},
      { versionNegotiation: { mode: 'auto' } },
    );
    expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
    const told: number[] = [];
    const ran = await call('run', { scenario: 'other' }, { onprogress: ({ progress }) => told.push(progress) });
    expect(ran.data).toMatchObject({ run: { outcome: 'pass' } });
    expect(told).toEqual([0, 1]);
  });

  it('shows runs, traces and problems in pages, and says how to go on', async () => {
    const folder = await temporaryFolder();
    const value = 'x'.repeat(30_000);
    const cases = Array.from({ length: 5 }, (_, index) => ({ name: `case ${index}`, input: { value } }));
    await writeCalls(folder, { pages: { call: { command: 'cat' }, cases } });
    const { call } = await connectToAssay(folder);
    const ran = await call('run');
    expect(ran.text.length).toBeLessThan(1_000);

    const first = await call('show', { what: 'latest', limit: 3 });
    expect(first.data).toMatchObject({
      trials: [{ caseId: 'case 0' }, {}, {}],
      more: 'more trials: call again with from: 3',
    });
    const rest = await call('show', { what: 'latest', limit: 3, from: 3 });
    expect(rest.data).toMatchObject({ trials: [{ caseId: 'case 3' }, { caseId: 'case 4' }], more: null });
    expect((await call('show', { what: 'latest', outcomes: ['fail'] })).data).toMatchObject({ trials: [] });

    const { trialId } = (first.data.trials as { trialId: string }[])[0] ?? { trialId: '' };
    const trial = await call('show', { what: trialId, limit: 1 });
    expect(trial.data.more).toBe('1 more events of the trace: call again with from: 1');
    expect(trial.text.length).toBeLessThan(3_000);
    const pieces: string[] = [];
    for (let from: number | undefined = 0; from !== undefined; ) {
      const { data } = await call('show', { what: trialId, event: 1, from });
      pieces.push((data.event as { json: string }).json);
      const next = /from: (\d+)/.exec(String(data.more))?.[1];
      from = next === undefined ? undefined : Number(next);
    }
    expect(pieces.length).toBeGreaterThan(1);
    expect(JSON.parse(pieces.join(''))).toMatchObject({ result: { value } });

    await writeFiles(folder, {
      'broken.json': JSON.stringify({ name: 'broken', call: { command: 'cat' }, cases: 7, nme: 1 }),
    });
    const checked = await call('validate', { limit: 1 });
    expect(checked.isError).toBe(false);
    expect(checked.data).toMatchObject({
      valid: false,
      problemCount: 2,
      problems: [{ at: expect.stringMatching(/^broken\.json:1:\d+$/) }],
    });
    expect(checked.data.more).toBe('1 more problems: call again with from: 1');
  });

  it('executes no file that it validates, and reads a config in code again after an edit', async () => {
    const text = (name: string) => `import { writeFileSync } from 'node:fs';
writeFileSync('executed', '');
export default { name: '${name}', call: { command: 'cat' }, input: { value: 1 } };`;
    const folder = await temporaryFolder({
      'a.scenario.mjs': text('a'),
      'assay.config.mjs': `export default { scenarios: ['none'] };`,
    });
    const { call, client } = await connectToAssay(folder);
    const { tools } = await client.listTools();
    expect(tools.filter(({ annotations }) => annotations?.readOnlyHint)).toEqual([]);
    expect((await call('validate', { paths: ['a.scenario.mjs'] })).data).toMatchObject({
      valid: false,
      problems: [{ at: 'a.scenario.mjs:1:1', message: expect.stringContaining('code is not executed here') }],
    });
    expect(existsSync(join(folder, 'executed'))).toBe(false);
    await writeCalls(folder, { good: { call: { command: 'cat' }, input: { value: 1 } } });
    await writeFiles(folder, { 'assay.config.mjs': `export default { scenarios: ['good.json'] };` });
    const { data } = await call('validate', {});
    expect(data).toMatchObject({ valid: true, scenarios: 1 });
  });

  it('judges as the judge protocol does', async () => {
    const folder = await temporaryFolder();
    const input = {
      testScenario: { name: 'sum', input: { a: 1 } },
      actualResult: { total: 3 },
      passCriteria: ['result.total === 3', 'input.a === 2'],
      failCriteria: ['error !== undefined'],
    };
    const { call } = await connectToAssay(folder);
    const judged = await call('judge', input);
    const { stdout } = await assay(['judge', '-'], { cwd: folder, stdin: JSON.stringify(input) });
    expect(judged.data).toEqual(JSON.parse(stdout));
    expect(judged.text).toMatch(/^FAIL: /);
    const unusable = await call('judge', { ...input, passCriteria: ['result.'] });
    expect(unusable).toMatchObject({ isError: true, text: expect.stringContaining('CRITERION_UNUSABLE: `result.`') });
  });

  it('answers what cannot be done with why and what to do, and goes on', async () => {
    const refused: readonly (readonly [string, Record<string, unknown>, RegExp])[] = [
      ['run', { scenario: 'eco' }, /^NOTHING_TO_RUN: There is no scenario "eco"\.\n.*echo/],
      ['run', { paths: ['/'] }, /^USAGE: "\/" is outside the project\.\nName files or folders below/],
      ['run', { paths: ['..'] }, /is outside the project/],
      ['run', { attacks: { suites: ['../a.yaml'], names: [], places: [] } }, /is outside the project/],
      ['run', { paths: ['link'] }, /is outside the project/],
      ['list_scenarios', { paths: ['nowhere'] }, /nowhere/],
      ['run', { repet: 2 }, /repet/],
      ['run', { repeat: 0 }, /repeat/],
      ['show', { what: 'nothing' }, /^NOT_FOUND: There is no run, trial or scenario "nothing".*\nCall list_runs/],
      ['compare', { a: 'nothing' }, /^NOT_FOUND: There is no run "nothing"/],
      ['run', { resume: 'nothing' }, /^NOT_FOUND/],
    ];
    const folder = await projectOfEchoes();
    await symlink('/', join(folder, 'link'));
    const { call } = await connectToAssay(folder);
    for (const [name, args, message] of refused) {
      expect(await call(name, args)).toMatchObject({ isError: true, text: expect.stringMatching(message) });
    }
    expect((await call('run', { scenario: 'other' })).isError).toBe(false);
  });

  it('tells where files are wrong, and runs nothing', async () => {
    const folder = await projectOfEchoes();
    await writeFiles(folder, { 'broken.yaml': 'name: broken\ncall: {}\n' });
    const { call } = await connectToAssay(folder);
    const answer = await call('run');
    expect(answer).toMatchObject({
      isError: true,
      text: expect.stringMatching(/^FILE_INVALID: .*\nbroken\.yaml:\d+:\d+: /),
    });
    expect((await call('list_runs')).data).toMatchObject({ runs: [] });
  });

  it('ends a run whose request is cancelled, keeps what has finished, and resumes it', async () => {
    const folder = await projectOfSleepers();
    const { call } = await connectToAssay(folder, { TEST_FOLDER: folder });
    const cancelling = new AbortController();
    const running = call('run', {}, { signal: cancelling.signal });
    await untilBegun(folder);
    cancelling.abort();
    await expect(running).rejects.toBeDefined();
    await untilGone(folder);
    const stored = () => call('list_runs').then(({ data }) => (data.runs as { status: string }[])[0]?.status);
    await expect.poll(stored, { timeout: 20_000 }).toBe('interrupted');
    await writeFiles(folder, { go: '' });
    expect((await call('run', { resume: 'latest' })).data).toMatchObject({ run: { outcome: 'pass' } });
  });
});

describe('the process of assay mcp', () => {
  it.each(['closed stdin', 'SIGINT', 'SIGTERM'] as const)('ends with its runs after %s', async (end) => {
    const folder = await projectOfSleepers();
    const speaking = startSpeaking([programPath, 'mcp'], folder, { TEST_FOLDER: folder });
    await speaking.initialize();
    speaking.send({ id: 2, method: 'tools/call', params: { name: 'run', arguments: {} } });
    await untilBegun(folder);
    if (end === 'closed stdin') speaking.child.stdin?.end();
    else speaking.child.kill(end);
    const [exitCode] = await once(speaking.child, 'close');
    expect(exitCode).toBe(0);
    expect(sleepersOf(folder)).toEqual([]);
    const { stdout } = await assay(['runs', '--json'], { cwd: folder });
    expect(JSON.parse(stdout)).toMatchObject([{ status: 'interrupted' }]);
  });

  it('keeps stdout for the protocol, whatever the project prints', async () => {
    const folder = await projectOfEchoes();
    await writeFiles(folder, { 'assay.config.mjs': "console.log('printed by the config');\nexport default {};\n" });
    const speaking = startSpeaking([programPath, 'mcp'], folder);
    await speaking.initialize();
    const answer = await speaking.request({ id: 2, method: 'tools/call', params: { name: 'run', arguments: {} } });
    expect(answer).toMatchObject({ result: { structuredContent: { run: { outcome: 'fail' } } } });
    speaking.child.stdin?.end();
    await once(speaking.child, 'close');
    expect(speaking.printed().filter((line) => !line.startsWith('{"'))).toEqual([]);
    expect(speaking.stderrText()).toContain('printed by the config');
  });

  it('goes on after what is no message', async () => {
    const speaking = startSpeaking([programPath, 'mcp'], await temporaryFolder());
    await speaking.initialize();
    speaking.child.stdin?.write('this is no JSON\n{"jsonrpc":"1.0"}\n[]\n\n');
    const answer = await speaking.request({
      id: 2,
      method: 'tools/call',
      params: { name: 'list_runs', arguments: {} },
    });
    expect(answer).toMatchObject({ id: 2, result: { structuredContent: { runs: [] } } });
  });

  it('uses the store that it is told to', async () => {
    const folder = await projectOfEchoes();
    const speaking = startSpeaking([programPath, 'mcp', '--store', 'sqlite:elsewhere.db'], folder);
    await speaking.initialize();
    await speaking.request({ id: 2, method: 'tools/call', params: { name: 'run', arguments: { scenario: 'other' } } });
    speaking.child.stdin?.end();
    await once(speaking.child, 'close');
    expect(existsSync(join(folder, 'elsewhere.db'))).toBe(true);
  });
});
