import { describe, expect, it } from 'vitest';
import { type ReadImport, readImport, reported } from '../../../testing/fakes/load/read-import.ts';

const verdicts = ({ trials }: ReadImport) => trials.map(({ verdict }) => [verdict?.state, verdict?.reason]);
const json = async (value: unknown, more: Parameters<typeof readImport>[1] = {}) =>
  readImport(JSON.stringify(value), { name: 'results.json', ...more });

describe('JUnit XML', () => {
  const read = (cases: string, counts = '') =>
    readImport(`<testsuite name="s"${counts}>\n${cases}\n</testsuite>`, { name: 'junit.xml' });

  it('has no pass for a test that did not run', async () => {
    const notRun = await read(
      [
        '<testcase name="a" status="notrun" result="suppressed"/>',
        '<testcase name="b" status="disabled"/>',
        '<testcase name="c"><disabled message="slow"/></testcase>',
        '<testcase name="d" status="run" result="completed"/>',
        '<testcase name="e" status="failed"/>',
        '<testcase name="f" status="sideways"/>',
        '<testcase name="g" status="passed"><failure message="no"/></testcase>',
      ].join('\n'),
    );
    expect(verdicts(notRun)).toEqual([
      ['skipped', 'its `status` is notrun'],
      ['skipped', 'its `status` is disabled'],
      ['skipped', 'slow'],
      ['pass', 'passed'],
      ['error', 'its `status` is failed, and it has no <failure>'],
      ['error', 'its `status` "sideways" is not known'],
      ['fail', 'no'],
    ]);
  });

  it('makes a trial of an error outside of the test cases', async () => {
    const broken = await read('<error message="setup failed"/><testcase name="a"/>');
    expect(broken.trials.map(({ caseId, verdict }) => [caseId, verdict?.state, verdict?.reason])).toEqual([
      ['(suite)', 'error', 'setup failed'],
      ['a', 'pass', 'passed'],
    ]);
    expect(reported(broken)).toEqual(['2: an <error> of the suite "s" is outside of its test cases: setup failed']);
  });

  it('whose counts do not add up is an error of the suite, and of passes that may be the missing failures', async () => {
    const missing = await read('<testcase name="a"/><testcase name="b"/>', ' tests="5"');
    expect(missing.trials.map(({ caseId, verdict }) => [caseId, verdict?.state])).toEqual([
      ['a', 'pass'],
      ['b', 'pass'],
      ['(counts)', 'error'],
    ]);
    expect(reported(missing)).toEqual(['1: the suite "s" reports 5 tests, and the file has 2']);
    const unfailed = await read('<testcase name="a"/><testcase name="b"/>', ' tests="2" failures="1" errors="0"');
    expect(verdicts(unfailed).map(([state]) => state)).toEqual(['error', 'error', 'error']);
    const fine = '<testcase name="a"/><testcase name="b"><failure/></testcase><testcase name="c"><skipped/></testcase>';
    for (const counts of [' tests="3" failures="1" skipped="1"', ' tests="2" failures="1" skipped="1"', ' tests=""']) {
      expect(reported(await read(fine, counts))).toEqual([]);
    }
    const nested = '<testsuite name="t" tests="1"><testcase name="n"/></testsuite><testcase name="a"/>';
    for (const counts of [' tests="2"', ' tests="1"']) expect(reported(await read(nested, counts))).toEqual([]);
  });

  it('that ends early is a problem, and its counts need not add up', async () => {
    const cut = await readImport('<testsuite tests="3" failures="1">\n<testcase name="a"/>\n<testca', {
      name: 'j.xml',
    });
    expect(reported(cut)).toEqual([
      '3: the file ends early',
      '1: the suite "" reports 3 tests and 1 failure, and the file has 1 and 0',
    ]);
    expect(verdicts(cut).map(([state]) => state)).toEqual(['error', 'error']);
  });
});

describe('traces of Langfuse', () => {
  const trace = (...scores: readonly object[]) => [
    { id: 't', timestamp: '2026-03-01T10:00:00Z', htmlPath: '/t', observations: [], scores },
  ];
  const boolean = (name: string, value: unknown) => ({ name, value, dataType: 'BOOLEAN' });

  it('are not judged by a boolean whose direction is not known', async () => {
    for (const name of ['bad_language', 'hallucination', 'is_toxic', 'flagged', 'short']) {
      expect(verdicts(await json(trace(boolean(name, 1))))).toEqual([[undefined, undefined]]);
    }
    expect(verdicts(await json(trace(boolean('is_correct', 1), boolean('flagged', 1))))).toEqual([
      ['pass', 'is_correct: true'],
    ]);
    expect(verdicts(await json(trace(boolean('correct', 7))))).toEqual([['error', 'correct: 7 is not true or false']]);
  });

  it('are an error where a score cannot be read under --pass-at', async () => {
    const options = { passAt: 0.7 };
    for (const value of ['0,9', '80%', '', null, {}]) {
      const [verdict] = verdicts(await json(trace({ name: 'score', value, dataType: 'NUMERIC' }), { options }));
      expect(verdict).toEqual(['error', `score: ${JSON.stringify(value)} is not a number`]);
    }
    const category = { name: 'tone', dataType: 'CATEGORICAL', stringValue: 'warm' };
    expect(verdicts(await json(trace({ name: 'score', value: 0.8 }, category), { options }))).toEqual([
      ['pass', 'score: 0.8'],
    ]);
  });
});

describe('results of other programs', () => {
  it('of promptfoo that contradict themselves could not be judged', async () => {
    const result = { promptIdx: 0, success: true, provider: 'p', prompt: { raw: 'x' }, testCase: { assert: [{}] } };
    const [contradicted, broken, fine] = [
      { ...result, gradingResult: { pass: false, score: 0, reason: 'no' } },
      { ...result, gradingResult: { pass: true }, error: 'API error' },
      { ...result, gradingResult: { pass: true, reason: 'yes' } },
    ];
    expect(verdicts(await json({ results: { results: [contradicted, broken, fine] } }))).toEqual([
      ['error', 'the file says both `success: true` and `gradingResult.pass: false`'],
      ['error', 'the file says both `success: true` and an error: API error'],
      ['pass', 'yes'],
    ]);
  });

  it('of tau-bench with a reward that cannot be could not be judged', async () => {
    const rewarded = async (more: object) => verdicts(await json([{ task_id: 1, traj: [], ...more }]))[0];
    expect(await rewarded({ reward: 2 })).toEqual(['error', 'the reward 2 is not between 0 and 1']);
    expect(await rewarded({ reward: -1 })).toEqual(['error', 'the reward -1 is not between 0 and 1']);
    expect(await rewarded({ reward: 'all' })).toEqual(['error', 'the reward "all" is not a number']);
    expect(await rewarded({ reward: 1, reward_info: { reward: 0 } })).toEqual([
      'error',
      'the file says both reward 1 and reward 0',
    ]);
    expect(await rewarded({ reward: 1, info: { error: 'crashed' } })).toEqual(['error', 'the run failed: crashed']);
    expect(await rewarded({ reward: 0.5 })).toEqual(['fail', 'reward 0.5']);
  });

  it('as a conversation are judged by all that they say', async () => {
    const judged = async (more: object) =>
      verdicts(await json({ messages: [{ role: 'user', content: 'Hi' }], ...more }, { format: 'openai-chat' }))[0];
    expect(await judged({ passed: true, outcome: 'fail' })).toEqual([
      'error',
      'the file says both pass (`passed` is true) and fail (fail)',
    ]);
    expect(await judged({ passed: 'perhaps' })).toEqual(['error', '`passed` is "perhaps", which is not a verdict']);
    expect(await judged({ passed: true, error: 'Timeout' })).toEqual([
      'error',
      'the file says both pass (`passed` is true) and an error: Timeout',
    ]);
    expect(await judged({ passed: true, reward: 1 })).toEqual(['pass', 'reward 1']);
    expect(await judged({ success: null })).toEqual([undefined, undefined]);
  });

  it('as a table could not be judged where a row contradicts itself, or its score cannot be read', async () => {
    const rows = async (text: string, passAt?: number) =>
      verdicts(await readImport(text, { name: 'x.csv', options: { passAt, columns: 'guessed' } }));
    expect(await rows('case,passed,error\na,true,Timeout\nb,true,\nc,false,AssertionError\nd,,Timeout\n')).toEqual([
      ['error', 'the row says both true and an error: Timeout'],
      ['pass', 'outcome "true" in the table'],
      ['fail', 'AssertionError'],
      ['error', 'Timeout'],
    ]);
    expect(await rows('case,score\na,"0,9"\nb,80%\nc,0.9\nd,\n', 0.7)).toEqual([
      ['error', 'the score "0,9" is not a number'],
      ['error', 'the score "80%" is not a number'],
      ['pass', 'score 0.9'],
      ['error', 'the row has no score'],
    ]);
    expect(await rows('case,outcome,score\na,pass,0.2\n', 0.7)).toEqual([
      ['error', 'the row says both pass and a score of 0.2, which is below 0.7'],
    ]);
  });

  it('as items of the Evals API could not be judged where they contradict themselves', async () => {
    const item = (status: string, passed: unknown) => ({
      ...{ object: 'eval.run.output_item', id: 'i', status, sample: { input: [], output: [] } },
      results: [{ name: 'exact', passed, score: 1 }],
    });
    expect(verdicts(await json(item('fail', true), { format: 'openai-evals' }))).toEqual([
      ['error', 'the file says both `status: fail` and passed graders only'],
    ]);
    expect(verdicts(await json(item('pass', null), { format: 'openai-evals' }))).toEqual([
      ['error', 'exact: null is not true or false'],
    ]);
  });

  it('as a report of SWE-bench could not be judged where it has an instance in two lists', async () => {
    const report = { submitted_ids: ['a', 'b'], resolved_ids: ['a', 'b'], unresolved_ids: ['b'], error_ids: [] };
    expect(verdicts(await json(report))).toEqual([
      ['pass', 'resolved'],
      ['error', 'the report says both resolved and unresolved'],
    ]);
  });
});

describe('ids', () => {
  it('beyond the precision of numbers keep their digits', async () => {
    const rows = ['9007199254740993', '9007199254740992', '9007199254740993.0'];
    const text = rows.map((id) => `{"task_id":${id},"reward":1,"traj":[]}`).join('\n');
    const { trials } = await readImport(text);
    expect(trials.map(({ scenario }) => scenario)).toEqual([
      '9007199254740993',
      '9007199254740992',
      '9007199254740992',
    ]);
    const quoted = await readImport('{"task_id":"x 12345678901234567890","reward":1,"traj":[]}');
    expect(quoted.trials[0]?.scenario).toBe('x 12345678901234567890');
  });
});
