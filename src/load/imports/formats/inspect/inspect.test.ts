import { readFileSync } from 'node:fs';
import { deflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { eventsIn, readImport, reported } from '../../../../testing/fakes/load/read-import.ts';
import { zipOf } from '../../../../testing/support/zip-of.ts';

const fixture = readFileSync(new URL('../fixtures/inspect.json', import.meta.url), 'utf8');
const { samples, ...header } = JSON.parse(fixture);

function archive(files: Readonly<Record<string, unknown>>): Buffer {
  return zipOf(Object.fromEntries(Object.entries(files).map(([name, value]) => [name, JSON.stringify(value)])));
}

const entries = {
  'header.json': header,
  ...Object.fromEntries(
    samples.map((sample: { id: string; epoch: number }) => [`samples/${sample.id}_epoch_${sample.epoch}.json`, sample]),
  ),
  'summaries.json': [],
};

describe('logs of Inspect', () => {
  it.each([
    ['JSON', 'inspect', 'log.json', fixture],
    ['JSON on one line', 'inspect', 'log.json', JSON.stringify(JSON.parse(fixture))],
    ['an archive', 'inspect-eval', 'log.eval', archive(entries)],
  ])('as %s become trials with their verdicts and figures', async (_how, name, file, content) => {
    const { format, trials, problems } = await readImport(content, { name: file });
    expect({ format, problems }).toEqual({ format: name, problems: [] });
    expect(trials.map(({ caseId, repeat, verdict }) => [caseId, repeat, verdict?.state, verdict?.reason])).toEqual([
      ['find', 1, 'pass', 'includes: C: contains the target'],
      ['find', 2, 'fail', 'includes: I; ended by the token limit'],
      ['broken', 1, 'error', 'the sample ended with an error: Sandbox could not be started'],
      ['graded', 1, undefined, undefined],
    ]);
    expect(trials[0]).toMatchObject({
      scenario: 'file_search',
      variant: { agent: 'react', model: 'openai/gpt-x' },
      durationMs: 2_500,
      metrics: { speed: 0.75 },
    });
    expect(eventsIn(trials[0]).slice(0, 4)).toEqual([
      { type: 'message', role: 'user', text: 'Find it' },
      { type: 'message', role: 'assistant', text: 'Looking.' },
      { type: 'tool-call', callId: 'c1', tool: 'bash', input: { command: 'ls' }, shellCommand: 'ls' },
      { type: 'tool-result', callId: 'c1', durationMs: 0, result: 'a.txt\nb.txt' },
    ]);
    // 100 + 40 from a cache, without the 10 of the grader.
    expect(eventsIn(trials[0])).toContainEqual(
      expect.objectContaining({ type: 'usage', inputTokens: 130, outputTokens: 15 }),
    );
    expect(eventsIn(trials[1])).toContainEqual(
      expect.objectContaining({ type: 'tool-result', error: { message: 'Command timed out' } }),
    );
  });

  it('have numbers as verdicts only where the user says which pass', async () => {
    const states = async (passAt: number) => {
      const { trials } = await readImport(fixture, { name: 'log.json', options: { passAt } });
      return trials.map(({ verdict }) => verdict?.state);
    };
    expect(await states(0.7)).toEqual(['pass', 'fail', 'error', 'pass']);
    expect(await states(0.8)).toEqual(['fail', 'fail', 'error', 'fail']);
  });

  it('that are damaged are refused with what is missing', async () => {
    const problems = async (content: Buffer | string, name = 'log.eval') =>
      reported(await readImport(content, { name }));
    expect(await problems(archive(entries).subarray(0, 900))).toEqual([
      '1: the archive is cut off: its list of entries is missing',
    ]);
    expect(await problems(archive({ 'samples/a_epoch_1.json': samples[0] }))).toEqual([
      '1: not a log of Inspect: `header.json` with `eval` is missing in the archive',
    ]);
    expect(await problems(archive({ ...entries, 'samples/x.json': { id: 1 } }))).toEqual([
      '1: samples/x.json: not a sample: `id`, `epoch` or `input` is missing',
      '1: the log reports 4 samples, and has 5',
    ]);
    const packed = zipOf({ 'header.json': JSON.stringify(header) }, { method: 93, pack: deflateRawSync });
    expect(await problems(packed)).toEqual([
      expect.stringMatching(/^1: header.json: (?:compressed with Zstandard, which needs Node|the entry is damaged)/),
      expect.stringContaining('not a log of Inspect'),
    ]);
    const unfinished = JSON.stringify({ ...header, status: 'cancelled', samples: samples.slice(0, 1) });
    expect(await problems(unfinished, 'log.json')).toEqual([
      '1: the evaluation did not finish (`status` is "cancelled"): samples may be missing',
    ]);
    expect(await problems(JSON.stringify(header), 'log.json')).toEqual(['1: the log has no `samples`']);
    expect(await problems('{"eval":{"task":"x"}}', 'log.json')).toEqual([
      '1: unknown format: it has `eval`; inspect needs `eval` with `task` and `run_id`',
    ]);
  });
});
