import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openSession } from '../drive/mcp/open-session.ts';
import { serverDefinitionSchema } from '../drive/mcp/server-definition.ts';
import type { CheckReport } from './check-report.ts';
import { type CheckRequest, type CheckResult, checkServer } from './check-server.ts';

const fixture = fileURLToPath(new URL('./fixtures/checked-server.mjs', import.meta.url));

function check(mode: string, request: Partial<CheckRequest> = {}, marker = ''): Promise<CheckResult> {
  const definition = serverDefinitionSchema().parse({ command: 'node', args: [fixture, mode, marker] });
  return checkServer({
    open: (how) => openSession(definition, { directory: tmpdir(), env: process.env, timeoutMs: 30_000, ...how }),
    timeoutMs: 30_000,
    callsPerTool: 3,
    concurrency: 4,
    callsAll: false,
    call: [],
    skip: [],
    seed: 1,
    knownArguments: new Map(),
    ...request,
  });
}

function idsFor({ problems }: CheckReport, tool: string): string[] {
  return problems.filter(({ tools }) => tools.includes(tool)).map(({ id }) => id);
}

describe('a good server', () => {
  it('has no errors and no warnings, and says what was called', async () => {
    const { report } = await check('good');
    expect(report.problems).toEqual([]);
    expect(report.totals).toEqual({ error: 0, warning: 0, info: 0, notice: 0 });
    expect(report.server).toMatchObject({ name: 'thermometer', version: '1.2.3', transport: 'stdio' });
    expect(report.coverage).toEqual({ called: 2, total: 3 });
    expect(report.tools.map(({ name, calls, ok, leftOut }) => ({ name, calls, ok, leftOut }))).toEqual([
      { name: 'convert_temperature', calls: 3, ok: 3, leftOut: null },
      { name: 'search_notes', calls: 3, ok: 3, leftOut: null },
      { name: 'delete_note', calls: 0, ok: 0, leftOut: 'it is not marked read-only (--call calls it)' },
    ]);
    const [convert] = report.tools;
    expect(convert?.pin).toMatch(/^[0-9a-f]{64}$/);
    expect(convert?.probes).toBeGreaterThan(3);
    expect(convert?.arguments).toEqual({ total: 2, tried: 2 });
    expect(convert?.latencyMs?.max).toBeGreaterThanOrEqual(convert?.latencyMs?.p50 ?? Number.NaN);
  });

  it('is called with everything or with nothing, as requested', async () => {
    const { report } = await check('good', { callsAll: true });
    expect(report.coverage.called).toBe(3);
    const { report: quiet } = await check('good', { callsPerTool: 0 });
    expect(quiet.coverage.called).toBe(0);
  });

  it('is called with known arguments first', async () => {
    const { report } = await check('good', {
      callsPerTool: 1,
      knownArguments: new Map([['convert_temperature', [{ celsius: 20, scale: 'kelvin' }]]]),
    });
    expect(report.tools[0]?.arguments.tried).toBe(2);
  });

  it('may end its lists with an empty cursor, and change its tools when it announces it', async () => {
    const { report } = await check('empty-cursor,announces-changes', { callsPerTool: 1 });
    expect(report.problems).toEqual([]);
    expect(report.tools.map(({ name }) => name)).toEqual(['convert_temperature', 'search_notes', 'delete_note']);
  });

  it('may have nothing at all', async () => {
    const { report } = await check('bare');
    expect(report.problems).toEqual([]);
    expect(report.counts.tools).toBe(0);
  });
});

describe('a server that behaves badly', () => {
  const ofTool: readonly (readonly [mode: string, id: string])[] = [
    ['refuses-valid', 'valid-arguments-refused'],
    ['protocol-error', 'call-protocol-error'],
    ['fails-valid', 'call-failed'],
    ['wrong-output', 'output-schema-mismatch'],
    ['no-structured-output', 'output-schema-mismatch'],
    ['malformed-result', 'result-malformed'],
    ['large-output', 'output-large'],
    ['accepts-invalid', 'invalid-arguments-accepted'],
    ['accepts-invalid', 'extra-argument-accepted'],
    ['internal-error', 'invalid-arguments-internal-error'],
    ['stack-trace', 'error-shows-internals'],
    ['unclear-error', 'error-names-no-argument'],
    ['dies-on-invalid', 'server-failed'],
    ['dies-always', 'server-failed'],
  ];
  const slow: readonly (readonly [mode: string, id: string])[] = [
    ['never-answers', 'call-timed-out'],
    ['hangs-on-invalid', 'invalid-call-unanswered'],
    ['blocks-on-invalid', 'invalid-call-unanswered'],
  ];
  const ofServer: readonly (readonly [mode: string, id: string])[] = [
    ['accepts-unknown-tool', 'unknown-tool-accepted'],
    ['accepts-unknown-method', 'unknown-method-accepted'],
    ['no-ping', 'ping-unanswered'],
    ['malformed-tool', 'definition-malformed'],
    ['changes-tools', 'tools-changed-unannounced'],
    ['noisy', 'protocol-noise'],
  ];
  const modesIn = (table: readonly (readonly [string, string])[]): string =>
    [...new Set(table.map(([mode]) => mode))].join();
  const idsOf = (report: CheckReport): Record<string, readonly string[]> =>
    Object.fromEntries(report.tools.map(({ name }) => [name.replaceAll('_', '-'), idsFor(report, name)]));

  function expectGoodToolsChecked(report: CheckReport): void {
    expect(report.incomplete).toBeNull();
    for (const name of ['convert_temperature', 'search_notes']) {
      expect(idsFor(report, name)).toEqual([]);
      expect(report.tools.find((tool) => tool.name === name)?.ok).toBeGreaterThan(0);
    }
  }

  it('reports the mistakes of each tool, and the good ones are checked', async () => {
    const { report } = await check(modesIn(ofTool));
    for (const [mode, id] of ofTool) expect(idsOf(report)[mode], mode).toContain(id);
    expectGoodToolsChecked(report);
    const death = report.problems.find(({ id, tools }) => id === 'server-failed' && tools[0] === 'dies_on_invalid');
    expect(death?.message).toMatch(/^Without the required `celsius`, \{.*ended/);
  });

  it('reports which tools do not answer, and the good ones are checked', async () => {
    const { report } = await check(modesIn(slow), { timeoutMs: 700, callsPerTool: 1 });
    for (const [mode, id] of slow) expect(idsOf(report)[mode], mode).toContain(id);
    expectGoodToolsChecked(report);
  });

  it('reports the mistakes of the server as a whole', async () => {
    const { report } = await check(modesIn(ofServer), { callsPerTool: 1 });
    expect(report.problems.map(({ id }) => id).toSorted()).toEqual(ofServer.map(([, id]) => id).toSorted());
  });

  it.each(['list-error', 'same-page'])('%s is reported as a list that cannot be read', async (mode) => {
    const { report } = await check(mode, { callsPerTool: 0 });
    expect(report.problems.map(({ id }) => id)).toContain('list-failed');
  });

  it('that cannot be started again ends the check, and what was found is kept', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'assay-check-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const { report } = await check('dies-for-good', { callsPerTool: 1, concurrency: 1 }, join(folder, 'started'));
    expect(report.incomplete).toContain('could not be opened again');
    expect(idsFor(report, 'dies_for_good')).toContain('server-failed');
    expect(report.tools.map(({ leftOut }) => leftOut)).toEqual([
      null,
      'the server was lost before',
      'the server was lost before',
      'the server was lost before',
    ]);
  });
});

describe('tools that are called at the same time', () => {
  it('are those that are marked read-only', async () => {
    const { report } = await check('waits-for-another', { concurrency: 2 });
    expect(report.problems).toEqual([]);
    const { report: oneByOne } = await check('waits-for-another', { concurrency: 1, callsPerTool: 1, timeoutMs: 700 });
    expect(idsFor(oneByOne, 'convert_temperature')).toContain('call-timed-out');
  });

  it('are reported where the server answers them only alone', async () => {
    const { report } = await check('one-at-a-time', { concurrency: 2, callsPerTool: 1, timeoutMs: 2_000 });
    expect(report.problems.map(({ id }) => id)).toEqual(['concurrent-calls-unanswered']);
    expect(report.problems[0]?.message).toContain('answered alone');
    expect(report.tools.every(({ calls, ok }) => calls === ok)).toBe(true);
    const { report: oneByOne } = await check('one-at-a-time', { concurrency: 1, callsPerTool: 1, timeoutMs: 2_000 });
    expect(oneByOne.problems).toEqual([]);
  });

  it('are not called beside one that may change something', async () => {
    const open = new Set<unknown>();
    const besides: unknown[] = [];
    const definition = serverDefinitionSchema().parse({ command: 'node', args: [fixture, 'good'] });
    const watched = (direction: string, message: unknown): void => {
      const { id, method, params } = message as { id?: number; method?: string; params?: { name?: string } };
      if (direction === 'from-server') open.delete(id);
      else if (method === 'tools/call') {
        if (params?.name === 'delete_note') besides.push(open.size);
        open.add(id);
      }
    };
    const options = { directory: tmpdir(), env: process.env, timeoutMs: 30_000, onFrame: watched };
    await check('good', { open: (how) => openSession(definition, { ...how, ...options }), callsAll: true });
    expect(besides.length).toBeGreaterThan(3);
    expect(new Set(besides)).toEqual(new Set([0]));
  });

  it('of which one ends the server for good are reported together', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'assay-check-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const { report } = await check('dies-for-good', { callsPerTool: 1 }, join(folder, 'started'));
    const [failure, ...others] = report.problems.filter(({ id }) => id === 'server-failed');
    expect(failure?.tools).toContain('dies_for_good');
    expect(failure?.message).toContain('failed while they were called at the same time');
    expect(others).toEqual([]);
  });
});

describe('a baseline', () => {
  it('is the same for the same server, and shows each field that changed', async () => {
    const { pins } = await check('good', { callsPerTool: 0 });
    const { report: same } = await check('good', { callsPerTool: 0, baseline: { file: 'pins.json', pins } });
    expect(same.baseline).toEqual({ file: 'pins.json', state: 'same', changes: [] });
    const { report: edited } = await check('edited', { callsPerTool: 0, baseline: { file: 'pins.json', pins } });
    expect(edited.baseline?.changes).toEqual([
      {
        tool: 'convert_temperature',
        place: 'description',
        before: '"Converts a temperature from Celsius to another scale and returns the number."',
        now: '"Edited."',
      },
      { tool: 'delete_note', place: '', before: 'delete_note', now: null },
    ]);
    expect(edited.problems.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['baseline-changed', 'baseline-tool-removed']),
    );
  });
});

describe('a server that cannot be called well', () => {
  it('whose schemas ask for more than a call can hold is checked as far as it can be', async () => {
    const { report } = await check('asks-too-much');
    expect(report.tools.map(({ name, leftOut }) => [name, leftOut])).toEqual([
      ['search_notes', null],
      ...['items', 'nested', 'properties', 'text'].map((name) => [
        `greedy_${name}`,
        'no arguments could be made that fit its schema',
      ]),
    ]);
  });

  it('of which no call succeeds is not fine', async () => {
    const { report } = await check('fails-valid,nothing-else');
    expect(report.problems[0]).toMatchObject({ id: 'no-call-succeeded', severity: 'error' });
    expect(report.tools).toMatchObject([{ calls: 3, ok: 0 }]);
    const { report: good } = await check('good');
    expect(good.problems.map(({ id }) => id)).not.toContain('no-call-succeeded');
  });

  it('that writes errors as results is reported, and they do not count as answers', async () => {
    const { report } = await check('unmarked-failure,refuses-in-json,nothing-else');
    for (const name of ['unmarked_failure', 'refuses_in_json'])
      expect(idsFor(report, name)).toContain('error-not-marked');
    expect(report.tools).toMatchObject([{ ok: 0 }, { ok: 0 }]);
  });

  it('because it lacks network or keys is not judged, and the cause is reported once', async () => {
    const { report } = await check('offline,offline-too,nothing-else');
    expect(report.incomplete).toBeNull();
    expect(report.problems.map(({ id, severity }) => `${severity} ${id}`)).toEqual([
      'notice server-need-missing',
      'notice no-result-checked',
    ]);
    const [missing] = report.problems;
    expect(missing?.tools).toEqual(['offline', 'offline_too']);
    expect(missing?.message).toBe(
      'Without network access: 2 tools, `offline`, `offline_too`: -32603 fetch failed / getaddrinfo ENOTFOUND api.example.com',
    );
    for (const name of ['offline', 'offline_too'])
      expect(idsFor(report, name)).not.toContain('invalid-arguments-internal-error');
    expect(report.totals).toMatchObject({ error: 0, warning: 0 });
    const { report: keyless } = await check('offline,keyless,nothing-else');
    expect(keyless.problems.map(({ severity, tools }) => [severity, tools])).toEqual([
      ['notice', ['offline']],
      ['notice', ['keyless']],
      ['notice', []],
    ]);
  });

  it.each([
    ['no-browser', 'a browser'],
    ['no-program', 'a program'],
    ['called-too-often', 'a lower call rate'],
    ['unconfigured', 'a setting'],
  ])('because of %s is not judged', async (mode, need) => {
    const { report } = await check(`${mode},nothing-else`, { callsPerTool: 1 });
    expect(report.problems.map(({ id }) => id)).toEqual(['server-need-missing', 'no-result-checked']);
    expect(report.totals).toEqual({ error: 0, warning: 0, info: 0, notice: 2 });
    expect(report.problems[0]?.message).toContain(need);
  });

  it('of which a tool always ends with an exception is broken, and that comes first', async () => {
    const { report } = await check('wrong-output,throws-always');
    expect(report.problems[0]).toMatchObject({
      id: 'tool-broken',
      severity: 'error',
      tools: ['throws_always'],
      message: expect.stringContaining("reading 'map'"),
    });
    expect(idsFor(report, 'throws_always')).toEqual(['tool-broken']);
  });

  it('with very many tools is called by sampling', async () => {
    const { report } = await check('very-many', { callsPerTool: 1, mostCalledTools: 5 });
    expect(report.coverage).toEqual({ called: 5, total: 60 });
    const left = new Set(report.tools.map(({ leftOut }) => leftOut));
    expect(left).toEqual(new Set([null, 'of so many tools only a sample is called (--call calls it)']));
    const { report: named } = await check('very-many', { callsPerTool: 1, mostCalledTools: 1, call: ['many_59'] });
    expect(named.tools.find(({ name }) => name === 'many_59')?.calls).toBe(1);
  });

  it('that asks its client as a model and its user gets answers', async () => {
    const { report } = await check('asks-client', { callsPerTool: 1 });
    expect(idsFor(report, 'asks_client')).toEqual([]);
    expect(report.tools.find(({ name }) => name === 'asks_client')).toMatchObject({ ok: 1, refused: 0 });
    expect(report.problems.map(({ id }) => id)).not.toContain('client-capability-assumed');
    const { report: bold } = await check('asks-client,asks-anyway', { callsPerTool: 1 });
    expect(bold.problems.find(({ id }) => id === 'client-capability-assumed')?.message).toContain('sampling');
  });

  it('is not reported for what its SDK does', async () => {
    const mode = 'features,refuses-as-sdk';
    const { report: own } = await check(mode, { callsPerTool: 1 });
    expect(own.problems).toMatchObject([{ severity: 'notice', attributedTo: 'the official SDK' }]);
    const { report: another } = await check('features,refuses-in-own-words', { callsPerTool: 1 });
    expect(another.problems).toMatchObject([{ id: 'unknown-resource-code', severity: 'info', attributedTo: null }]);
    const { report } = await check(mode, {
      callsPerTool: 1,
      sdk: { name: '@modelcontextprotocol/sdk', version: '1.32.2' },
    });
    expect(report.server.sdk).toBe('@modelcontextprotocol/sdk 1.32.2');
    expect(report.problems).toMatchObject([
      { id: 'unknown-resource-code', severity: 'notice', attributedTo: '@modelcontextprotocol/sdk 1.32.2' },
    ]);
  });

  it('whose tools give data as text without a schema is reported once', async () => {
    const { report } = await check('data-as-text,data-as-text-too,nothing-else', { callsPerTool: 1 });
    const found = report.problems.filter(({ id }) => id === 'output-schema-missing');
    expect(found).toMatchObject([{ tools: ['data_as_text', 'data_as_text_too'], severity: 'info' }]);
  });

  it('whose text is about an error that the arguments ask for is not wrong', async () => {
    const { report } = await check('speaks-of-errors,nothing-else', { callsPerTool: 1 });
    expect(report.problems).toEqual([]);
  });

  it('whose calls fail for one other reason is reported once, and fails', async () => {
    const { report } = await check('broken-database,broken-database-too,offline,nothing-else');
    expect(report.incomplete).toBeNull();
    expect(report.problems[0]).toMatchObject({ id: 'no-call-succeeded' });
    expect(report.problems.filter(({ id }) => id === 'call-failed')).toMatchObject([
      { tools: ['broken_database', 'broken_database_too'], message: expect.stringContaining('is locked') },
    ]);
  });
});

describe('resources, prompts, completions and subscriptions', () => {
  it('are tried where a server offers them', async () => {
    const { report } = await check('features', { callsPerTool: 1 });
    expect(report.problems).toEqual([]);
    expect(report.features).toEqual([
      { name: 'resources', tried: 3, ok: 3, leftOut: null },
      { name: 'resource templates', tried: 1, ok: 1, leftOut: null },
      { name: 'apps', tried: 1, ok: 1, leftOut: null },
      { name: 'prompts', tried: 2, ok: 2, leftOut: null },
      { name: 'completions', tried: 3, ok: 3, leftOut: null },
      { name: 'subscriptions', tried: 2, ok: 2, leftOut: null },
    ]);
    const { report: quiet } = await check('features', { callsPerTool: 0 });
    expect(quiet.features).toEqual([]);
  });

  it('that are wrong are reported, each with its clause of the specification', async () => {
    const { report } = await check('bad-features', { callsPerTool: 1 });
    const found = report.problems.filter(({ id }) => /resource|prompt|completion|subscription/.test(id));
    expect(found.map(({ id, message }) => `${id}: ${message}`).toSorted()).toEqual([
      'completion-failed: `title` of `notes://by/{author}/{+title}`: -32602 unknown',
      'completion-malformed: `author` of `about`: `completion.values` has 101 entries.',
      'completion-malformed: `author` of `notes://by/{author}/{+title}`: `completion.values` has 101 entries.',
      'prompt-arguments-unchecked: `about` without `author`: answered with a result.',
      'prompt-malformed: `summary`: `messages[0]` needs a `role` of user or assistant, and a `content` block.',
      'resource-malformed: `notes://ideas`: `contents[0]` needs `uri`, and `text` or a `blob` in Base64.',
      'resource-unreadable: `notes://log`: -32603 no such table',
      'subscription-failed: resources/subscribe `notes://log`: -32601 Method not found',
      'ui-resource-malformed: `ui://notes/list`: `mimeType` is not `text/html;profile=mcp-app`.',
      'unknown-prompt-accepted: `assay_no_such_prompt`: answered with a result.',
      'unknown-resource-accepted: Reading `assay://no-such-resource`: answered with a result.',
    ]);
    const cited = 'https://modelcontextprotocol.io/specification/2025-11-25/server/resources#reading-resources';
    expect(found.find(({ id }) => id === 'resource-unreadable')?.clause).toBe(cited);
    expect(report.features.find(({ name }) => name === 'resource templates')).toMatchObject({ tried: 0, ok: 0 });
  });
});

describe('tools without annotations', () => {
  const called = ({ tools }: CheckReport): string[] => tools.filter(({ calls }) => calls > 0).map(({ name }) => name);

  it('are called if name, description and schema only read, and the report says why the others are not', async () => {
    const { report } = await check('unmarked', { callsPerTool: 1 });
    expect(called(report)).toEqual(['get_order', 'weather_search']);
    expect(report.tools[0]?.calledFor).toBe('name');
    expect(report.tools.map(({ leftOut }) => leftOut)).toEqual([
      null,
      null,
      'its name says "create", and it is not marked read-only (--call calls it)',
      'its description says "Removes", and it is not marked read-only (--call calls it)',
      'neither its annotations nor its name say that it only reads (--call calls it)',
      'its argument `sql` may change something, and it is not marked read-only (--call calls it)',
      'neither its annotations nor its name say that it only reads (--call calls it)',
    ]);
  });

  it('are called and left out by name and by pattern; exact names count more', async () => {
    const choose = async (choice: Pick<CheckRequest, 'call' | 'skip'>) =>
      called((await check('unmarked', { callsPerTool: 1, ...choice })).report);
    expect(await choose({ call: ['note', '*_rows'], skip: ['list_rows', 'weather*'] })).toEqual([
      'get_order',
      'query_rows',
      'note',
    ]);
    expect(await choose({ call: ['note'], skip: ['*'] })).toEqual(['note']);
    await expect(choose({ call: ['notes'], skip: [] })).rejects.toThrow('The server has no tool "notes".');
  });

  it('of which none is called are not fine', async () => {
    const { report } = await check('unmarked', { skip: ['*'] });
    expect(report.problems.map(({ id }) => id)).toContain('no-tool-called');
    const { report: quiet } = await check('unmarked', { callsPerTool: 0 });
    expect(quiet.problems.map(({ id }) => id)).not.toContain('no-tool-called');
  });
});

describe('a check that is interrupted', () => {
  it('ends while arguments are made', async () => {
    const interrupt = new AbortController();
    const reached: number[] = [];
    const request = check('very-many-greedy', {
      signal: interrupt.signal,
      onTool: (_tool, number) => {
        reached.push(number);
        setImmediate(() => interrupt.abort());
      },
    });
    await expect(request).rejects.toThrow();
    expect(reached.length).toBeLessThan(4);
  });
});
