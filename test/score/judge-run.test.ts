import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import {
  answerText,
  criteriaReply,
  judgedScenario,
  runJudged,
  secretKey,
} from '../../src/testing/support/judged-project.ts';

const judge = { model: 'openai/gpt-4o-mini', successCriteria: 'The answer names Paris' };
const scenario = judgedScenario(judge);
const says = (json: unknown) => [{ reply: { json } }] as Parameters<typeof runJudged>[0]['rules'];

describe('a judged run', () => {
  it('passes on a met criterion with verified evidence, and says what it cost', async () => {
    const run = await runJudged({ scenario, rules: says(criteriaReply('met')) });
    expect(run.trial).toMatchObject({
      outcome: 'pass',
      judge: { state: 'pass', mode: 'criteria', model: 'openai/gpt-4o-mini' },
    });
    expect(run.trial.costUsd).toBeGreaterThan(0);
    expect(run).toMatchObject({ exitCode: 0, calls: 1 });
    const { costUsd, usage, judgeShare } = JSON.parse(run.stdout);
    // Nothing but the judge is paid for here.
    expect(judgeShare).toEqual({
      trials: 1,
      cost: { knownUsd: costUsd, unknownTrials: 0 },
      tokens: { knownInput: usage.inputTokens, knownOutput: usage.outputTokens, unknownTrials: 0 },
    });
    const { stdout } = await assay(['show', 'latest'], { cwd: run.folder });
    expect(stdout).toMatch(/^ {2}judge \$0\.0\d+, \d+ in, \d+ out for 1 trial$/m);
  });

  it('asks once for the criteria of two evaluators, and pays once', async () => {
    const { judge: _, ...bare } = JSON.parse(scenario);
    const judged = (successCriteria: string) => ({ type: 'llm-judge', config: { successCriteria } });
    const evaluators = [judged('The answer names Paris'), judged('The answer names London')];
    const of = (id: string, answer: string) => ({ ...criteriaReply(answer).criteria[0], id });
    const reply = { criteria: [of('success-1', 'met'), of('success-2', 'not-met')] };
    const both = JSON.stringify({ ...bare, evaluators, judge: { model: judge.model } });
    const run = await runJudged({ scenario: both, rules: says(reply) });
    const once = await runJudged({ scenario, rules: says(criteriaReply('met')) });
    expect(run).toMatchObject({ exitCode: 1, calls: 1, trial: { outcome: 'fail' } });
    expect(run.trial.reason).toContain('success criterion not met: The answer names London');
    expect(run.trial).toMatchObject({
      evaluatorResults: [{ type: 'criteria' }, { state: 'pass' }, { state: 'fail' }],
    });
    expect(run.trial.costUsd).toBeLessThan(1.5 * once.trial.costUsd);
  });

  it('fails on a criterion that is not met', async () => {
    const run = await runJudged({ scenario, rules: says(criteriaReply('not-met')) });
    expect(run).toMatchObject({ exitCode: 1, trial: { outcome: 'fail', judge: { state: 'fail' } } });
  });

  it('cannot be passed by evidence that nobody saw', async () => {
    const run = await runJudged({ scenario, rules: says(criteriaReply('met', 'Paris is wonderful.')) });
    expect(run).toMatchObject({ exitCode: 3, trial: { outcome: 'error', judge: { state: 'error' } } });
  });

  it('is skipped when an assertion has failed, and cannot overturn it with --judge-always', async () => {
    const failing = judgedScenario(judge, ["result.text === 'London'"]);
    const unasked = await runJudged({ scenario: failing, rules: says(criteriaReply('met')) });
    expect(unasked).toMatchObject({ exitCode: 1, calls: 0, trial: { outcome: 'fail', judge: { state: 'skipped' } } });
    const asked = await runJudged({ scenario: failing, rules: says(criteriaReply('met')), flags: ['--judge-always'] });
    expect(asked).toMatchObject({ exitCode: 1, calls: 1, trial: { outcome: 'fail', judge: { state: 'fail' } } });
  });

  it('makes the trial an error without a key, and keeps the other results', async () => {
    const run = await runJudged({ scenario, rules: says(criteriaReply('met')), env: { OPENAI_API_KEY: '' } });
    expect(run).toMatchObject({
      exitCode: 3,
      calls: 0,
      trial: {
        outcome: 'error',
        judge: { state: 'error' },
        fault: { code: 'MODEL_NO_KEY' },
        criteria: { verdict: 'PASS' },
      },
    });
    expect(run.trial.reason).toMatch(/llm-judge: .*gpt-4o-mini/);
  });

  it('makes the trial an error when it was the only assertion and is switched off', async () => {
    const run = await runJudged({
      scenario: judgedScenario(judge, []),
      rules: says(criteriaReply('met')),
      flags: ['--no-judge'],
    });
    expect(run).toMatchObject({
      exitCode: 3,
      calls: 0,
      trial: { outcome: 'error', fault: { code: 'NOTHING_ASSERTED', blame: 'user' } },
    });
  });

  it('can be switched off', async () => {
    const run = await runJudged({ scenario, rules: says(criteriaReply('met')), flags: ['--no-judge'] });
    expect(run).toMatchObject({
      exitCode: 0,
      calls: 0,
      trial: { judge: { state: 'skipped', reason: 'The judge is switched off.' } },
    });
  });

  it('can be switched on where the file switches it off', async () => {
    const off = judgedScenario({ ...judge, enabled: false });
    expect((await runJudged({ scenario: off, rules: says(criteriaReply('met')) })).calls).toBe(0);
    for (const flag of ['--judge', '--llm', '--llm-judge']) {
      expect(await runJudged({ scenario: off, rules: says(criteriaReply('met')), flags: [flag] })).toMatchObject({
        calls: 1,
        trial: { judge: { state: 'pass' } },
      });
    }
  });

  it('takes the model from the flag, then the file, then the environment, then the config', async () => {
    const modelOf = async (options: Omit<Parameters<typeof runJudged>[0], 'rules'>) =>
      (await runJudged({ ...options, rules: says(criteriaReply('met')) })).trial.judge.model;
    const unnamed = judgedScenario({ successCriteria: 'The answer names Paris' });
    const files = { 'assay.config.yaml': 'judge: { model: openai/from-config }\n' };
    const env = { LLM_TOOL_TEST_JUDGE: 'openai/from-env' };
    expect(await modelOf({ scenario, files, env, flags: ['--judge-model', 'openai/from-flag'] })).toBe(
      'openai/from-flag',
    );
    expect(await modelOf({ scenario, files, env })).toBe('openai/gpt-4o-mini');
    expect(await modelOf({ scenario: unnamed, files, env })).toBe('openai/from-env');
    expect(await modelOf({ scenario: unnamed, files })).toBe('openai/from-config');
    expect((await runJudged({ scenario: unnamed, rules: says(criteriaReply('met')) })).trial).toMatchObject({
      outcome: 'error',
      judge: { state: 'error' },
      fault: { code: 'MODEL_NOT_NAMED' },
    });
  });

  it.each([
    ['401', { status: 401 }, 'MODEL_UNAUTHORIZED', 1],
    [
      'no quota',
      { status: 429, body: { error: { code: 'insufficient_quota', message: 'You exceeded your current quota' } } },
      'MODEL_QUOTA',
      1,
    ],
    ['a bad request', { status: 400 }, 'MODEL_BAD_REQUEST', 1],
  ] as const)(
    'keeps deterministic results and ends as an error of the model on %s',
    async (_name, fault, code, calls) => {
      const run = await runJudged({ scenario, rules: [{ fault }] as never });
      expect(run).toMatchObject({
        exitCode: 3,
        calls,
        trial: { outcome: 'error', fault: { code, blame: 'judge' }, criteria: { verdict: 'PASS' } },
      });
      expect(run.stdout + run.stderr).not.toContain(secretKey);
    },
  );

  it.each([
    ['prose', 'I think it is fine.'],
    ['half of JSON', '{"criteria": [{"id": "success-1"'],
    ['a wrong type', { criteria: 'all', confidence: 1 }],
    ['a missing criterion', { criteria: [], confidence: 1 }],
    [
      'an extra criterion',
      {
        criteria: [...criteriaReply('met').criteria, { ...criteriaReply('met').criteria[0], id: 'success-2' }],
        confidence: 1,
      },
    ],
    ['an empty reply', ''],
    ['a refusal', "I'm sorry, but I can't help with that."],
  ])('asks once more and then gives up on %s', async (_name, reply) => {
    const rules = typeof reply === 'string' ? ([{ reply }] as never) : says(reply);
    const run = await runJudged({ scenario, rules });
    expect(run).toMatchObject({
      exitCode: 3,
      calls: 2,
      trial: { outcome: 'error', fault: { code: 'JUDGE_UNREADABLE', blame: 'judge' } },
    });
  });

  it('scores by a weighted rubric as its file is written', async () => {
    const rubric = `criteria:
  - { id: correctness, weight: 0.6, description: The answer is right }
  - { id: brevity, weight: 0.4, description: The answer is short }
output:
  format: json
  require_fields: [scores, weighted_score, confidence, issues, highlights]
`;
    const reply = (correctness: number, brevity: number) => ({
      reasoning: ['correctness', 'brevity'].map((criterion) => ({
        criterion,
        reason: 'r',
        evidence: [{ event: 'e2', quote: answerText }],
      })),
      scores: { correctness, brevity },
      weighted_score: correctness * 0.6 + brevity * 0.4,
      confidence: 0.9,
      issues: [],
      highlights: ['short'],
    });
    const judged = judgedScenario({ enabled: true, model: judge.model, rubric: 'rubric.yaml', pass_threshold: 0.7 });
    const files = { 'rubric.yaml': rubric };
    const run = await runJudged({ scenario: judged, files, rules: says(reply(1, 0.5)) });
    expect(run.trial.judge).toMatchObject({ state: 'pass', mode: 'rubric', score: 0.8 });
    expect((await runJudged({ scenario: judged, files, rules: says(reply(0.5, 0.5)) })).trial).toMatchObject({
      outcome: 'fail',
      judge: { score: 0.5 },
    });
    const { reasoning: _quotes, ...unproven } = reply(1, 1);
    expect((await runJudged({ scenario: judged, files, rules: says(unproven) })).trial).toMatchObject({
      outcome: 'error',
      fault: { code: 'JUDGE_UNDECIDED', blame: 'judge' },
    });
  });

  it('gives one score with a threshold of 0.8 unless the file says otherwise', async () => {
    const scored = judgedScenario({ model: judge.model });
    const run = await runJudged({ scenario: scored, rules: says({ score: 0.79, reason: 'nearly' }) });
    expect(run.trial).toMatchObject({ outcome: 'fail', judge: { mode: 'score', score: 0.79, threshold: 0.8 } });
    const lenient = judgedScenario({ model: judge.model, passThreshold: 0.5 });
    const proven = { reasoning: 'r', evidence: [{ event: 'e2', quote: answerText }], score: 0.79, reason: 'nearly' };
    expect((await runJudged({ scenario: lenient, rules: says(proven) })).trial.outcome).toBe('pass');
  });

  it('passes nothing on the bare word of a judge, unless the file says that it may', async () => {
    const rules = says({ score: 1, reason: 'perfect' });
    const strict = await runJudged({ scenario: judgedScenario({ model: judge.model }), rules });
    expect(strict.trial).toMatchObject({ outcome: 'error', fault: { code: 'JUDGE_UNDECIDED', blame: 'judge' } });
    const trusting = judgedScenario({ model: judge.model, evidence: 'optional' });
    expect((await runJudged({ scenario: trusting, rules })).trial).toMatchObject({
      outcome: 'pass',
      judge: { warnings: ['The judge gave no evidence for its score'] },
    });
  });

  it('lets several models vote and keeps every answer', async () => {
    const panel = judgedScenario({ ...judge, model: ['openai/one', 'openai/two', 'anthropic/three'] });
    const rules = [
      { when: { model: 'two' }, reply: { json: criteriaReply('not-met') } },
      { reply: { json: criteriaReply('met') } },
    ];
    const run = await runJudged({ scenario: panel, rules });
    expect(run).toMatchObject({
      calls: 3,
      trial: { outcome: 'pass', judge: { panel: [{ state: 'pass' }, { state: 'fail' }, { state: 'pass' }] } },
    });
    expect(run.trial.judge.warnings.join()).toContain('1 of 3 judges differ');
  });

  it('replays what was recorded, byte for byte, without a key', async () => {
    const recorded = await runJudged({ scenario, rules: says(criteriaReply('met')), flags: ['--record', 'tapes'] });
    const files = await readdir(join(recorded.folder, 'tapes'));
    expect(files).toHaveLength(1);
    expect(await readFile(join(recorded.folder, 'tapes', files[0] ?? ''), 'utf8')).not.toContain(secretKey);
    const replayed = await runJudged({
      scenario,
      rules: says({}),
      folder: recorded.folder,
      flags: ['--replay', 'tapes'],
      env: { OPENAI_API_KEY: '' },
    });
    expect(replayed).toMatchObject({ exitCode: 0, calls: 0 });
    expect(replayed.trial.judge).toEqual(recorded.trial.judge);
  });

  it('names what changed when a recording is missing', async () => {
    const recorded = await runJudged({ scenario, rules: says(criteriaReply('met')), flags: ['--record', 'tapes'] });
    const changed = await runJudged({
      scenario,
      rules: says({}),
      folder: recorded.folder,
      flags: ['--replay', 'tapes', '--judge-model', 'openai/gpt-4o'],
    });
    expect(changed).toMatchObject({
      exitCode: 3,
      calls: 0,
      trial: { outcome: 'error', fault: { code: 'REPLAY_MISS' } },
    });
  });

  it('refuses a call that could cost more than allowed', async () => {
    const run = await runJudged({ scenario, rules: says(criteriaReply('met')), flags: ['--max-usd', '0.0000001'] });
    expect(run).toMatchObject({
      exitCode: 3,
      calls: 0,
      trial: { outcome: 'error', fault: { code: 'MODEL_BUDGET_REACHED' } },
    });
  });

  it('distrusts a judge that accepts an answer in which nothing was done', async () => {
    const anything = [
      {
        when: { last: '/"text":"(This is correct\\.)"/' },
        reply: { json: criteriaReply('met', 'This is correct.', 'e2') },
      },
      { reply: { json: criteriaReply('met') } },
    ];
    const run = await runJudged({ scenario, rules: anything, flags: ['--judge-probes'] });
    expect(run).toMatchObject({ exitCode: 3, calls: 4, trial: { outcome: 'error' } });
    expect(run.trial.judge.warnings.join()).toContain('claims-to-be-correct');
  });

  it('probes every member of a panel, and names the one that it distrusts', async () => {
    const panel = judgedScenario({ ...judge, model: ['openai/one', 'openai/two'] });
    const gullible = {
      when: { model: 'two', last: '/"text":"(This is correct\\.)"/' },
      reply: { json: criteriaReply('met', 'This is correct.', 'e2') },
    };
    const rules = [gullible, { reply: { json: criteriaReply('met') } }];
    const run = await runJudged({ scenario: panel, rules, flags: ['--judge-probes'] });
    expect(run).toMatchObject({ exitCode: 3, calls: 9, trial: { outcome: 'error' } });
    expect(run.trial.judge.warnings.join()).toContain('claims-to-be-correct (openai/two)');
  });

  it('does not probe a judge that only has failure criteria, which doing nothing rightly passes', async () => {
    const { successCriteria: _, ...model } = judge;
    const harmless = judgedScenario({ ...model, failureCriteria: 'The answer is rude' });
    const reply = criteriaReply('not-met');
    const rules = says({ ...reply, criteria: reply.criteria.map((each) => ({ ...each, id: 'failure-1' })) });
    const run = await runJudged({ scenario: harmless, rules, flags: ['--judge-probes'] });
    expect(run).toMatchObject({ exitCode: 0, calls: 1, trial: { outcome: 'pass' } });
  });
});
