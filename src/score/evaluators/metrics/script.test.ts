import { describe, expect, it } from 'vitest';
import { scriptResultSchema } from '../../../domain/gate.ts';
import { ask, createWork } from '../../../testing/fakes/score/work.ts';
import type { EvaluationContext } from '../evaluator.ts';
import { scriptEvaluator } from './script.ts';

async function measure(command: string, more: object = {}): Promise<object> {
  await using work = await createWork();
  const answer = await ask(scriptEvaluator, { name: 'quality', command, ...more }, work.context);
  for (const result of answer.findings?.scripts ?? []) scriptResultSchema.parse(result);
  return answer;
}

describe('script-evaluator', () => {
  it('gives the numbers of the script under its name, and all that it said', async () => {
    const command = `echo '{"metrics": {"notes": 3, "ratio": 0.5, "by": {"a": 1}, "ok": true}, "score": 0.8, "summary": "Fine"}'`;
    expect(await measure(command)).toEqual({
      state: 'measured',
      value: 0.8,
      reason: 'Fine',
      metrics: { 'quality.notes': 3, 'quality.ratio': 0.5, 'quality.score': 0.8 },
      findings: {
        scripts: [
          {
            name: 'quality',
            metrics: { notes: 3, ratio: 0.5, by: { a: 1 }, ok: true },
            score: 0.8,
            summary: 'Fine',
          },
        ],
      },
    });
  });

  it('needs nothing but an object', async () => {
    expect(await measure('echo {}')).toMatchObject({
      state: 'no-data',
      metrics: {},
      findings: { scripts: [{ name: 'quality' }] },
    });
  });

  it.each([
    ['echo plain words', { summary: 'plain words', error: expect.stringContaining('Invalid JSON output: ') }],
    ['true', { error: expect.stringContaining('Invalid JSON output: ') }],
    ['echo 5', { summary: '5', error: expect.stringContaining('Invalid JSON output: ') }],
    [`echo '{"score": "high", "summary": "s"}'`, { summary: 's', error: 'Invalid JSON output: score is not a number' }],
    [`echo '{"score": 1e999}'`, { error: 'Invalid JSON output: score is not a number' }],
    [`echo '{"metrics": [1], "score": 1}'`, { score: 1, error: 'Invalid JSON output: metrics is not an object' }],
    [`echo '{"score": 1}'; echo why >&2; exit 4`, { error: expect.stringMatching(/exited with 4.*stderr: "why"/) }],
    ['', { error: 'Empty command' }],
    [`printf '\\033[2J\\000'`, { summary: '\uFFFD[2J\uFFFD', error: expect.stringContaining('Invalid') }],
    ['head -c 20000000 /dev/zero | tr "\\0" x', { error: expect.stringContaining('Invalid JSON output: ') }],
    [
      `printf '{"metrics": {"a": '; awk 'BEGIN { for (i = 0; i < 50000; i++) printf "["; for (i = 0; i < 50000; i++) printf "]" }'; printf '}}'`,
      { error: 'Invalid JSON output: it is too large or too deep' },
    ],
  ])('reports an error beside the score, if there is one: %.40s', async (command, result) => {
    const answer = await measure(command);
    expect(answer).toMatchObject({
      state: 'score' in result ? 'measured' : 'no-data',
      findings: { scripts: [{ name: 'quality', ...result }] },
    });
    expect(JSON.stringify(answer).length).toBeLessThan(20_000);
  });

  it('gives up on a script that hangs', async () => {
    const answer = await measure(`echo '{"score": 1}'; sleep 60`, { timeout_secs: 0.2 });
    const error = expect.stringContaining('did not end within 0.2 s');
    expect(answer).toMatchObject({ state: 'no-data', findings: { scripts: [{ name: 'quality', error }] } });
  });

  it('gives no measurement when the run is stopped meanwhile', async () => {
    await using work = await createWork();
    const context: EvaluationContext = { ...work.context, signal: AbortSignal.abort() };
    const answer = ask(scriptEvaluator, { name: 'quality', command: 'sleep 60' }, context);
    await expect(answer).rejects.toMatchObject({ code: 'INTERRUPTED' });
  });
});
