import { describe, expect, it } from 'vitest';
import type { TraceEvent } from '../../../domain/trace.ts';
import { readImport } from '../../../testing/fakes/load/read-import.ts';
import { hostileTexts, rendered, type TrialChanges } from '../../../testing/support/rendered.ts';
import { datasetReporter } from './dataset.ts';
import { inspectReporter } from './inspect.ts';
import { promptfooReporter } from './promptfoo.ts';

const talk = (question: string, answer: string): TraceEvent[] => [
  { type: 'message', at: 0, seenBy: 'engine', role: 'user', text: question },
  { type: 'message', at: 5, seenBy: 'agent', role: 'assistant', text: answer },
];
const result = (state: 'pass' | 'fail', reason: string) =>
  ({ type: 'contains', kind: 'assertion', state, success: state === 'pass', reason }) as const;

const variant = { agent: 'desk', model: 'openai/gpt-x' };
const trials: TrialChanges[] = [
  {
    caseId: 'a',
    variant,
    outcome: 'pass',
    reason: 'it is there',
    evaluatorResults: [result('pass', 'it is there')],
    trace: talk('Where?', 'Here.'),
  },
  {
    caseId: 'b',
    variant,
    outcome: 'fail',
    reason: 'it is gone',
    evaluatorResults: [result('fail', 'it is gone')],
    trace: talk('Where?', ''),
  },
  {
    caseId: 'c',
    variant,
    outcome: 'error',
    reason: 'the server broke',
    evaluatorResults: [],
    trace: talk('Why?', 'No.'),
  },
  { caseId: 'd', variant, outcome: 'skipped', reason: 'no verdict', evaluatorResults: [], trace: talk('Who?', 'Me.') },
];

describe('reports for other programs', () => {
  it('come back from promptfoo with their verdicts, texts and figures', async () => {
    const { trials: read, problems } = await readImport(await rendered(promptfooReporter, trials), { name: 'r.json' });
    expect(problems).toEqual([]);
    expect(read.map(({ caseId, verdict }) => [caseId, verdict?.state])).toEqual([
      ['a', 'pass'],
      ['b', 'fail'],
      ['c', 'error'],
    ]);
    expect(read[1]).toMatchObject({
      verdict: { reason: 'it is gone' },
      checks: [{ name: 'contains', state: 'fail' }],
      variant: { model: 'desk openai/gpt-x' },
      costUsd: expect.any(Number),
    });
    expect(read[0]?.trace.flatMap((event) => (event.type === 'message' ? event.text : []))).toEqual([
      'Where?',
      'Here.',
    ]);
  });

  it('come back from Inspect, also trials without a verdict', async () => {
    const { trials: read, problems } = await readImport(await rendered(inspectReporter, trials), { name: 'r.json' });
    expect(problems).toEqual([]);
    expect(read.map(({ caseId, verdict }) => [caseId, verdict?.state])).toEqual([
      ['a', 'pass'],
      ['b', 'fail'],
      ['c', 'error'],
      ['d', undefined],
    ]);
    expect(read[0]).toMatchObject({ variant, repeat: 1, durationMs: expect.any(Number) });
    expect(read[2]?.verdict?.reason).toContain('the server broke');
  });

  it('refuse what Inspect has no place for', async () => {
    const mixed = [...trials, { ...trials[0], variant: { model: 'other' } }];
    await expect(rendered(inspectReporter, mixed)).rejects.toThrow(/one task and one model, and the run has 2 pairs/);
  });

  it('list the inputs of cases once', async () => {
    const lines = (await rendered(datasetReporter, [...trials, { ...trials[3], repeat: 2 }])).trim().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject(
      ['Where?', 'Where?', 'Why?', 'Who?'].map((input) => ({ input, metadata: { outcome: expect.any(String) } })),
    );
  });

  it.each([promptfooReporter, inspectReporter])('are JSON whatever the texts are: $name', async (reporter) => {
    const hostile = hostileTexts.map((text, index) => ({
      ...trials[0],
      caseId: `${index}${text}`,
      reason: text,
      trace: talk(text, text),
    }));
    expect(JSON.parse(await rendered(reporter, hostile))).toBeTypeOf('object');
  });
});
