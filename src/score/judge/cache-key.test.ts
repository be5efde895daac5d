import { describe, expect, it } from 'vitest';
import { AssayError } from '../../domain/errors.ts';
import type { JudgeAnswer } from '../../domain/judge-result.ts';
import { fakeModel } from '../../testing/fakes/judge/fake-model.ts';
import { bookingTrace, contextOf, sampleSubject } from '../../testing/fakes/judge/sample-subject.ts';
import type { JudgeCache, JudgeContext, JudgeSubject } from './judge.ts';
import { score } from './modes/score.ts';
import { askPanel } from './panel.ts';
import { prepareJudge } from './prepare-judge.ts';
import { runProbes } from './probes.ts';

const config = { passThreshold: 0.8, maxMessages: 20, evidence: 'optional' };
const judge = prepareJudge(score, config);
const good = { score: 0.9, reason: 'good' };

function memoryCache(): JudgeCache & { readonly kept: Map<string, JudgeAnswer> } {
  const kept = new Map<string, JudgeAnswer>();
  return {
    kept,
    read: async (key) => kept.get(key),
    write: async (key, _runId, answer) => {
      kept.set(key, answer);
    },
  };
}

/** A subject of a run that may reuse verdicts. */
function subjectIn(reusesBeforeRun: string | undefined, changes: Partial<JudgeSubject> = {}): JudgeSubject {
  return sampleSubject({ ...changes, reusesBeforeRun });
}

describe('the cache', () => {
  it('has no say in a trial of repeats, nor in probes', async () => {
    const cache = memoryCache();
    const model = fakeModel([good, good, good, good]);
    await judge.ask(subjectIn(undefined), contextOf(model, { cache }));
    await runProbes(judge, subjectIn('r-1'), contextOf(model, { cache }));
    expect([model.requests.length, cache.kept.size]).toEqual([3, 0]);
  });

  it('marks the answer of a panel when one verdict was reused', async () => {
    const cache = memoryCache();
    const [one, two] = [fakeModel([good], 'fake/one'), fakeModel([good, good], 'fake/two')];
    await judge.ask(subjectIn('r-1'), contextOf(one, { cache }));
    const panel = await askPanel(
      judge,
      subjectIn('r-2'),
      [one, two].map((model) => contextOf(model, { cache })),
    );
    expect(panel).toMatchObject({ isCached: true, panel: [{ isCached: true }, {}] });
    expect(panel.usage).toEqual(panel.panel?.[1]?.usage);
  });

  it('gives a known answer back for nothing', async () => {
    const cache = memoryCache();
    const model = fakeModel([good]);
    const first = await judge.ask(subjectIn('r-1'), contextOf(model, { cache }));
    const second = await judge.ask(subjectIn('r-1'), contextOf(model, { cache }));
    expect(model.requests).toHaveLength(1);
    expect(second).toEqual({
      ...first,
      usage: { inputTokens: 0, outputTokens: 0 },
      costUsd: 0,
      isCached: true,
    });
  });

  it('keeps no errors', async () => {
    const cache = memoryCache();
    await judge.ask(subjectIn('r-1'), contextOf(fakeModel(['nonsense']), { cache }));
    await judge.ask(subjectIn('r-1'), contextOf(fakeModel([new AssayError('MODEL_TIMEOUT', 'slow')]), { cache }));
    expect(cache.kept.size).toBe(0);
  });

  it('does not depend on the nonce, nor on when things happened', async () => {
    const cache = memoryCache();
    const model = fakeModel([good]);
    let draws = 0;
    const nonce = () => `${draws++}`.padStart(32, 'n');
    const later = bookingTrace.map((event) => ({ ...event, at: event.at + 1_000 }));
    await judge.ask(subjectIn('r-1'), contextOf(model, { cache, nonce }));
    await judge.ask(subjectIn('r-1', { trace: later }), contextOf(model, { cache, nonce }));
    expect(model.requests).toHaveLength(1);
  });

  const subjects: Readonly<Record<string, Partial<JudgeSubject>>> = {
    name: { name: 'other' },
    task: { task: 'other' },
    trace: { trace: bookingTrace.slice(0, 3) },
    expected: { expected: { status: 'other' } },
    'final text': { finalText: 'other' },
    references: { references: [{ name: 'a', text: 'b' }] },
    instructions: { instructions: ['other'] },
  };
  const contexts: Readonly<Record<string, Partial<JudgeContext>>> = {
    model: { model: fakeModel([good], 'fake/other') },
    server: { model: { ...fakeModel([good]), server: 'openai http://127.0.0.1:2/v1' } },
    files: { files: [{ name: 'a.png', mediaType: 'image/png', sha256: 'other', bytes: 1 }] },
    'limit of output': { maxOutputTokens: 7 },
    seed: { seed: 2 },
    temperature: { temperature: 0.5 },
    redaction: { redact: (text) => text.replaceAll('table', '[redacted]') },
    budget: { tokenBudget: 100 },
  };

  async function keysAfter(subject: Partial<JudgeSubject>, context: Partial<JudgeContext>, other = judge) {
    const cache = memoryCache();
    await judge.ask(subjectIn('r-1'), contextOf(fakeModel([good]), { cache }));
    await other.ask(subjectIn('r-1', subject), contextOf(fakeModel([good]), { ...context, cache }));
    return cache.kept.size;
  }

  it.each(Object.entries(subjects))('asks again when the %s of the subject changed', async (_what, change) => {
    expect(await keysAfter(change, {})).toBe(2);
  });

  it.each(Object.entries(contexts))('asks again when the %s changed', async (_what, change) => {
    expect(await keysAfter({}, change)).toBe(2);
  });

  it.each(['passThreshold', 'maxMessages'])('asks again when the config changed: %s', async (key) => {
    expect(await keysAfter({}, {}, prepareJudge(score, { ...config, [key]: 1 }))).toBe(2);
  });

  it('asks again when the prompt has a new version', async () => {
    expect(await keysAfter({}, {}, prepareJudge({ ...score, promptVersion: 'score.v9' }, config))).toBe(2);
  });
});
