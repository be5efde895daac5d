import { describe, expect, it } from 'vitest';
import type { TrialRecord } from '../../domain/record.ts';
import type { TraceEvent } from '../../domain/trace.ts';
import { recordsOf, sideSource } from '../../testing/fakes/compare/compared-sides.ts';
import type { SideRun } from './collected-side.ts';
import { compareSides } from './compare-sides.ts';
import type { Comparison } from './comparison.ts';

interface Side {
  readonly records?: Partial<TrialRecord>;
  readonly run?: Partial<SideRun>;
  readonly trace?: readonly TraceEvent[];
}

function compared(a: Side, b: Side, force = false): Promise<Comparison> {
  const side = (label: string, { records = {}, ...known }: Side) =>
    sideSource(label, recordsOf({ one: '++', two: '+-' }, records), known);
  return compareSides(side('before', a), side('after', b), { force });
}

async function differences(a: Side, b: Side): Promise<string[]> {
  const found = (await compared(a, b)).differences;
  return found.map(({ what, isDecisive, message }) => `${isDecisive ? '!' : ''}${what}: ${message}`);
}

function judge(changes: Partial<Record<'model' | 'promptVersion' | 'rubricHash', string>> = {}): Partial<TrialRecord> {
  const usage = { inputTokens: 1, outputTokens: 1 };
  const answer = { state: 'pass', mode: 'rubric', model: 'm1', promptVersion: '3', reason: '' } as const;
  return { judge: { ...answer, warnings: [], usage, costUsd: 0, rubricHash: 'h1', ...changes } };
}

function agent(
  version: string,
  model: string | null = null,
  variant: TrialRecord['variant'] = { agent: 'codex' },
): Side {
  const started = { type: 'agent-started', at: 0, seenBy: 'engine', agent: 'codex', isolation: 'none' } as const;
  return { records: { variant }, trace: [{ ...started, version, model, isScripted: false }] };
}

describe('the same task with another subject', () => {
  const scenario = (contentHash: string, task: string, subject: Record<string, string>): Side => ({
    run: { scenarios: [{ name: 'sample', contentHash, identity: { task, template: 't', subject } }] },
  });

  it('is compared, and the subject is named first', async () => {
    const before = scenario('1', 'task', { 'connectors.main.baseUrl': 'http://old', 'connectors.main.type': 'http' });
    const after = scenario('2', 'task', { 'connectors.main.baseUrl': 'http://new', 'connectors.main.type': 'http' });
    const found = await compared(before, { ...after, records: { variant: {} } });
    expect(found.answer).not.toBe('not-comparable');
    expect(found.differences[0]).toEqual({
      what: 'subject',
      message: 'connectors.main.baseUrl: http://old in A, http://new in B (sample)',
      isDecisive: false,
    });
  });

  it('names the connectors that are compared once, and then only the settings in which they differ', async () => {
    const side = (hash: string, name: string, baseUrl: string): Side => ({
      ...scenario(hash, 'task', { [`connectors.${name}.type`]: 'http', [`connectors.${name}.baseUrl`]: baseUrl }),
      records: { variant: { connector: name } },
    });
    expect(await differences(side('1', 'old', 'http://one'), side('2', 'new', 'http://two'))).toEqual([
      'variant: connector: old in A, new in B',
      'subject: connector.baseUrl: http://one in A, http://two in B (sample)',
    ]);
  });

  it('is refused where the task changed too', async () => {
    const found = await differences(scenario('1', 'task', { call: 'a' }), scenario('2', 'other', { call: 'b' }));
    expect(found).toContain('!scenario: 1 scenario changed between the runs: sample');
  });

  it('has no difference where only tags changed', async () => {
    expect(await differences(scenario('1', 'task', {}), scenario('2', 'task', {}))).toEqual([]);
  });
});

describe('what makes two runs incomparable', () => {
  it.each([
    {
      what: 'scenario',
      a: { run: { scenarios: [{ name: 'sample', contentHash: '1' }] } },
      b: { run: { scenarios: [{ name: 'sample', contentHash: '2' }] } },
      message: '1 scenario changed between the runs: sample',
    },
    {
      what: 'judge',
      a: { records: judge() },
      b: { records: judge({ model: 'm2' }) },
      message: 'judged by m1, rubric judge, prompt 3 in A, m2, rubric judge, prompt 3 in B: sample',
    },
    {
      what: 'judge',
      a: { records: judge() },
      b: { records: judge({ promptVersion: '4' }) },
      message: 'judged by m1, rubric judge, prompt 3 in A, m1, rubric judge, prompt 4 in B: sample',
    },
    {
      what: 'judge',
      a: { records: judge() },
      b: {},
      message: 'judged by m1, rubric judge, prompt 3 in A, no judge in B: sample',
    },
    {
      what: 'rubric',
      a: { records: judge() },
      b: { records: judge({ rubricHash: 'h2' }) },
      message: 'criteria or rubric of the judge changed: sample',
    },
    {
      what: 'control',
      a: {},
      b: { records: { control: { mock: 0, fault: 2 } } },
      message: 'tools were not controlled alike: real tools in A, mocked and faulted in B: sample',
    },
  ])('$what: $message', async ({ what, a, b, message }) => {
    expect(await differences(a, b)).toEqual([`!${what}: ${message}`]);
    const refused = await compared(a, b);
    expect(refused).toMatchObject({ answer: 'not-comparable', metrics: [], changedCases: [], isForced: false });
    expect(refused.summary).toContain(message);
    const forced = await compared(a, b, true);
    expect(forced).toMatchObject({
      isForced: true,
      answer: 'not-enough-data',
      differences: [{ what, isDecisive: true }],
    });
  });

  it('names all of it at once', async () => {
    const a = { records: judge(), run: { scenarios: [{ name: 'sample', contentHash: '1' }] } };
    const b = {
      records: judge({ model: 'm2', rubricHash: 'h2' }),
      run: { scenarios: [{ name: 'sample', contentHash: '2' }] },
    };
    const { summary } = await compared(a, b);
    expect(['scenario changed', 'judged by', 'rubric'].every((part) => summary.includes(part))).toBe(true);
  });
});

describe('differences that are only reported', () => {
  it.each([
    {
      name: 'tools that were added, removed and changed',
      a: { records: { toolPins: { kept: '1', gone: '1', other: '1' } } },
      b: { records: { toolPins: { kept: '1', other: '2', fresh: '1' } } },
      reported: ['tools: tools of sample: gone removed, other changed, fresh added'],
    },
    {
      name: 'another Assay',
      a: {},
      b: { run: { assayVersion: '2.0.0' } },
      reported: ['assay: Assay 1.0.0 in A, 2.0.0 in B'],
    },
    {
      name: 'a guidance that is what is compared',
      a: { records: { variant: { guidance: 'v1' } } },
      b: { records: { variant: { guidance: 'v2' } } },
      reported: ['variant: guidance: v1 in A, v2 in B'],
    },
    {
      name: 'faults that are what is compared',
      a: { records: { variant: {} } },
      b: { records: { variant: { faults: 'outage' }, control: { fault: 2 } } },
      reported: [
        'variant: faults: none in A, outage in B',
        'control: tools were not controlled alike: real tools in A, faulted in B: sample',
      ],
    },
    {
      name: 'another version of the agent, which is what is compared',
      a: agent('1.0'),
      b: agent('1.1'),
      reported: ['agent: agent codex: version 1.0 in A, 1.1 in B'],
    },
    {
      name: 'a model that is what is compared, and no other one of the agent',
      a: agent('1.0', 'small', { agent: 'codex', model: 'small' }),
      b: agent('1.0', 'large', { agent: 'codex', model: 'large' }),
      reported: ['model: model: small in A, large in B'],
    },
    {
      name: 'nothing where the same control acted more often on one side',
      a: { records: { control: { mock: 0 } } },
      b: { records: { control: { mock: 3 } } },
      reported: [],
    },
    {
      name: 'nothing where a side does not report it',
      a: agent('1.0'),
      b: { records: { variant: { agent: 'codex' } } },
      reported: [],
    },
  ])('$name', async ({ a, b, reported }) => {
    expect(await differences(a, b)).toEqual(reported);
  });

  it('a judge that was never requested because everything failed before', async () => {
    const failing = sideSource('b', recordsOf({ one: '--', two: '--' }));
    const judged = sideSource('a', recordsOf({ one: '++', two: '++' }, judge()));
    expect((await compareSides(judged, failing)).differences).toEqual([]);
  });

  it('what a file cannot tell, where runs come from, and that they differ in several things', async () => {
    const a = { run: { scenarios: null }, records: { variant: { agent: 'x', model: 'm' } } };
    const origin = { kind: 'rescore', runId: 'r-old' } as const;
    const b = {
      run: { origin, status: 'interrupted', planned: 9 } as const,
      records: { variant: { agent: 'y', model: 'n' } },
    };
    const { notes } = await compared(a, b);
    expect(notes.join('\n')).toContain('The scenarios of A were not recorded');
    expect(notes.join('\n')).toContain('B was not run: it is run r-old, evaluated again.');
    expect(notes.join('\n')).toContain('B is interrupted: 5 trials of 9 missing.');
    expect(notes.join('\n')).toContain('differ in agent and model at once');
  });
});
