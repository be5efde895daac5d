import { describe, expect, it } from 'vitest';
import { eventsOf, type Trace } from '../../src/domain/trace.ts';
import type { ScriptSource } from '../../src/drive/models/scripted/index.ts';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { driven, mcpProject, server, trialsIn } from '../../src/testing/support/mcp-project.ts';

const env = { OPENAI_API_KEY: 'sk-any' };
const steps = [{ user: 'Please add 2 and 3', expectTools: ['add'], expectedState: 'done' }];
const evaluators = [{ type: 'recovered' }, { type: 'retried-sensibly', config: { most: 1 } }];
const add = { name: 'add', input: { a: 2, b: 3 } };

async function faulty(faults: readonly object[], rules: ScriptSource['rules'], more: object = {}) {
  const workflows = [{ name: 'Sum', steps, order: 'any', evaluators }];
  const config = { server, model: 'openai/gpt-4o', timeout: 30_000, faults, workflows, ...more };
  const folder = await mcpProject({ 'c.json': config });
  const run = await driven({ folder, args: ['eval', 'c.json', '--json'], rules, env });
  const [trial] = trialsIn(run);
  if (!trial) throw new Error(run.stderr);
  const shown = await assay(['show', trial.trialId, '--json'], { cwd: folder });
  return { run, trial, trace: (JSON.parse(shown.stdout) as { trace: Trace }).trace };
}

/** Tries again until the tool gives the sum. */
const coping: ScriptSource['rules'] = [{ when: { toolResult: '5' }, reply: 'All done.' }, { toolCalls: [add] }];
/** Takes the first error for the sum. */
const careless: ScriptSource['rules'] = [{ when: { toolResult: 'e' }, reply: 'All done.' }, { toolCalls: [add] }];
/** Calls the tool again even after it worked. */
const stubborn: ScriptSource['rules'] = [{ when: { last: 'Please add' }, toolCalls: [add] }, { reply: 'All done.' }];

function textOf(result: unknown): string | undefined {
  const { content = [] } = (result ?? {}) as { readonly content?: readonly { readonly text?: string }[] };
  return content[0]?.text;
}

describe('faults of tools', () => {
  it.each([
    ['error', {}, 'Internal error'],
    ['rate-limit', { retryAfterSecs: 2 }, 'Rate limit exceeded. Retry after 2 s.'],
    // The start of the server has to keep this limit too.
    ['timeout', {}, 'did not answer tools/call within 6000 ms', { timeout: 6_000 }],
    ['latency', { ms: 600_000 }, 'did not answer tools/call within 6000 ms', { timeout: 6_000 }],
    ['dropped', {}, 'closed the connection'],
    ['server-restart', {}, 'restarted and lost the request'],
  ])(
    'break a call, and an agent that copes is told from one that does not: %s',
    async (fault, more, message, limit?: object) => {
      const faults = [{ fault, tool: 'add', firstCalls: 1, ...more }];
      const [good, bad] = await Promise.all([faulty(faults, coping, limit), faulty(faults, careless, limit)]);
      expect([good.trial.outcome, good.trial.reason]).toEqual(['pass', expect.any(String)]);
      expect(good.trial).toMatchObject({ control: { fault: 1 } });
      expect(eventsOf(good.trace, 'tool-control')).toMatchObject([
        { kind: 'fault', tool: 'add', callNumber: 1, rule: expect.stringMatching(/^c\.json:\d+:\d+$/) },
      ]);
      expect(eventsOf(good.trace, 'tool-result').map(({ answeredBy }) => answeredBy)).toEqual(['fault', undefined]);
      expect(eventsOf(good.trace, 'tool-result')[0]?.error?.message).toContain(message);
      expect(bad.trial).toMatchObject({ outcome: 'fail', reason: expect.stringContaining('Did not recover') });
    },
  );

  it('show an agent that repeats a call too often', async () => {
    const { trial } = await faulty([{ fault: 'error', call: 1 }], stubborn);
    expect(trial).toMatchObject({
      outcome: 'fail',
      reason: expect.stringContaining('retries with the same arguments'),
    });
  });

  it('that never acted leave nothing to judge, and one for a tool that is not there is named before the model', async () => {
    const never = await faulty([{ fault: 'error', tool: 'greet' }], coping);
    expect(never.trial).toMatchObject({ outcome: 'error', fault: { code: 'NOT_OBSERVED' }, control: { fault: 0 } });
    const unknown = await faulty([{ fault: 'error', tool: 'ad' }], coping);
    expect(unknown.trial).toMatchObject({
      fault: { code: 'FAULT_UNUSABLE' },
      reason: expect.stringMatching(/has no tool "ad" \(broken at c\.json:\d+:\d+; did you mean `add`\?\)/),
    });
    expect(unknown.run.requests).toEqual([]);
  });

  it('end a server between two calls, and the new one knows nothing of the first', async () => {
    const unsteady = { name: 'unsteady', input: {} };
    const rules = [{ when: { last: 'Please add' }, toolCalls: Array(5).fill(unsteady) }, { reply: 'All done.' }];
    const fault = { fault: 'server-restart', tool: 'unsteady', call: 3, betweenCalls: true };
    const { trace } = await faulty([fault], rules);
    const texts = eventsOf(trace, 'tool-result').map(({ result }) => textOf(result));
    expect(texts.slice(0, 5)).toEqual(['try again', 'try again', 'try again', 'try again', 'at last']);
    expect(eventsOf(trace, 'tool-control')).toMatchObject([{ fault: 'server-restart', callNumber: 3 }]);
  });

  it('change what the server answers, or let it do its work and lose the answer', async () => {
    const kinds = ['truncated', 'huge', 'malformed', 'schema-breaking', 'error'];
    const faults = [
      ...kinds.map((fault, index) => ({ fault, call: index + 1, ...(fault === 'error' && { toolRuns: true }) })),
      { fault: 'latency', call: 1, ms: { p50: 1, p99: 2 } },
      { fault: 'stale', call: 6 },
      { fault: 'rate-limit', args: { a: 4 }, untilRetry: 2 },
    ];
    const other = { name: 'add', input: { a: 4, b: 4 } };
    const rules = [
      { when: { toolResult: '8' }, reply: 'All done.' },
      { toolCalls: [...Array<typeof add>(6).fill(add), other, other, other] },
    ];
    const { trace } = await faulty(faults, rules);
    const results = eventsOf(trace, 'tool-result').map(({ result, error, answeredBy }) => [
      answeredBy,
      textOf(result) ?? error?.message,
    ]);
    expect(results.map(([, text]) => text)).toEqual([
      '',
      expect.stringMatching(/^5\n\.{99}\n/),
      '��"}]�{5',
      '"5"',
      'Internal error',
      '5',
      ...Array<string>(2).fill('Rate limit exceeded. Retry later.'),
      '8',
    ]);
    expect(results[1]?.[1]).toHaveLength(1_000_000);
    expect(results.map(([by]) => by)).toEqual([...Array<string>(8).fill('fault'), undefined]);
    expect(eventsOf(trace, 'tool-control').map(({ what }) => what)).toContain('failed on purpose after the tool ran');
  });

  it('change answers, and are drawn alike for the same trial', async () => {
    const empty = await faulty([{ fault: 'empty', call: 1 }], coping);
    expect(eventsOf(empty.trace, 'tool-result')[0]).toMatchObject({ answeredBy: 'fault', result: { content: [] } });
    const drawn = async () => {
      const suite = {
        name: 'Sums',
        tests: Array.from({ length: 20 }, (_, a) => ({ name: 'add', description: `t${a}`, args: { a, b: 1 } })),
      };
      const folder = await mcpProject({
        'c.json': { server, faults: [{ fault: 'error', probability: 0.5 }], toolHealthSuites: [suite] },
      });
      const run = await assay(['eval', 'c.json', '--json'], { cwd: folder });
      return trialsIn(run)
        .flatMap(({ toolHealth }) => toolHealth ?? [])
        .map(({ state }) => state);
    };
    const [first, second] = [await drawn(), await drawn()];
    expect(first).toEqual(second);
    expect(new Set(first)).toEqual(new Set(['pass', 'fail']));
  });
});

describe('faults of a model that Assay prompts itself', () => {
  const model = (more: object) => ({ border: 'model', ...more });
  const answering: ScriptSource['rules'] = [{ when: { toolResult: '5' }, reply: 'All done.' }, { toolCalls: [add] }];

  it('fail requests, which are sent again as after a real failure', async () => {
    const faults = [
      model({ fault: 'rate-limit', call: 1, retryAfterSecs: 0 }),
      model({ fault: 'error', status: 529, call: 2 }),
      model({ fault: 'dropped', call: 4 }),
    ];
    const { trial, trace, run } = await faulty(faults, answering);
    expect(trial).toMatchObject({ outcome: 'pass', control: { fault: 3 } });
    expect(eventsOf(trace, 'model-call').map(({ status, answeredBy }) => [status, answeredBy])).toEqual([
      [429, 'fault'],
      [529, 'fault'],
      [200, undefined],
      [null, 'fault'],
      [200, undefined],
    ]);
    expect(eventsOf(trace, 'tool-control')).toMatchObject(
      [1, 2, 4].map((callNumber) => ({ border: 'model', tool: 'openai/gpt-4o', callNumber })),
    );
    // The provider never saw what was broken.
    expect(run.requests).toHaveLength(2);
  });

  it('cut and empty replies, which the trial goes on with', async () => {
    const cut = await faulty([model({ fault: 'truncated', call: 2 })], answering);
    expect(cut.trial).toMatchObject({ outcome: 'fail', reason: expect.stringContaining('Did not recover') });
    const replies = eventsOf(cut.trace, 'message').flatMap(({ role, text }) => (role === 'assistant' ? [text] : []));
    expect(replies.at(-1)).toBe('All ');
    const empty = await faulty([model({ fault: 'empty', call: 1 })], answering);
    expect(eventsOf(empty.trace, 'tool-call')).toEqual([]);
    expect(empty.trial.outcome).toBe('fail');
  });

  it('that no retry can survive leave nothing to judge, and do not blame the provider', async () => {
    const { trial, run } = await faulty([model({ fault: 'error', status: 400 })], answering);
    expect(trial).toMatchObject({
      outcome: 'error',
      fault: { code: 'FAULT_ENDED_TRIAL', blame: 'user' },
      reason: expect.stringContaining('broken on purpose'),
    });
    expect(run.requests).toEqual([]);
  });

  it('break the model of a conversation, and not the one that plays its user', async () => {
    const scenario = {
      name: 'Bare',
      connector: { type: 'model', config: { model: 'openai/gpt-4o' } },
      userMessages: ['Hello'],
      evaluators: [{ type: 'contains', config: { text: 'done' } }, { type: 'recovered' }],
      faults: { shaky: [{ fault: 'error', untilRetry: 1 }], silent: [{ fault: 'empty' }] },
    };
    const folder = await mcpProject({ 's.json': scenario });
    const rules = [{ reply: 'All done.' }];
    const run = await driven({ folder, args: ['run', 's.json', '--json'], rules, env });
    expect(trialsIn(run)).toMatchObject([
      { variant: { faults: 'none' }, outcome: 'pass' },
      { variant: { faults: 'shaky' }, outcome: 'pass', control: { fault: 1 } },
      { variant: { faults: 'silent' }, outcome: 'fail', control: { fault: 1 } },
    ]);
  });
});
