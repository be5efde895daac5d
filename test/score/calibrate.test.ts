import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startScriptedModel } from '../../src/drive/models/scripted/index.ts';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { criteriaReply, judgedScenario, runJudged, secretKey } from '../../src/testing/support/judged-project.ts';

const judge = { model: 'openai/gpt-4o-mini', successCriteria: 'The answer names Paris' };
const rules = [{ reply: { json: criteriaReply('met') } }];

/** A project with four judged trials, all passed by the judge, of which people fail one. */
async function labelledProject() {
  const run = await runJudged({ scenario: judgedScenario(judge), rules, flags: ['--repeat', '4'] });
  const { trials } = JSON.parse(run.stdout);
  const labels = trials.map(({ trialId }: { trialId: string }, index: number) =>
    JSON.stringify({ trialId, label: index === 0 ? 'fail' : 'pass' }),
  );
  await writeFile(join(run.folder, 'labels.jsonl'), `${labels.join('\n')}\n`);
  return run.folder;
}

describe('assay score calibrate', () => {
  it('compares the judge with people', async () => {
    const folder = await labelledProject();
    const result = await assay(['calibrate', 'labels.jsonl', '--json'], { cwd: folder });
    expect(result.exitCode).toBe(0);
    expect(JSON.parse(result.stdout).calibrations).toMatchObject([
      {
        identity: { mode: 'criteria', model: 'openai/gpt-4o-mini' },
        compared: 4,
        confusion: { bothPass: 3, bothFail: 0, judgePassHumanFail: 1, judgeFailHumanPass: 0 },
        agreement: { count: 3, of: 4 },
        kappa: { kappa: 0 },
      },
    ]);
    const { stdout } = await assay(['calibrate', 'labels.jsonl'], { cwd: folder });
    expect(stdout).toContain('agreement       3 of 4 (75 %, 95 % interval 30 % to 95 %)');
    // One person and one judge: kappa says it all.
    expect(stdout).not.toContain('alpha');
  });

  it('measures how far several people and several judges agree', async () => {
    const panel = { ...judge, samples: 3 };
    // Twelve answers of three judges to four trials; the sixth is another.
    const replies = [
      { when: { nth: 6 }, reply: { json: criteriaReply('not-met') } },
      { reply: { json: criteriaReply('met') } },
    ];
    const run = await runJudged({
      scenario: judgedScenario(panel),
      rules: replies,
      flags: ['--repeat', '4', '--no-cache', '--concurrency', '1'],
    });
    const document = JSON.parse(run.stdout);
    // One of twelve answers differs: 1 - (4 / 2) / (2 * 11 / 11).
    expect(document.judgeAgreement).toMatchObject({ verdicts: { alpha: 0, units: 4, ratings: 12 }, scores: null });
    const ids: string[] = document.trials.map(({ trialId }: { trialId: string }) => trialId);
    const label = (trialId: string, rater: string | undefined, value: string) =>
      JSON.stringify({ trialId, label: value, rater });
    const lines = ids.flatMap((id, index) => [
      label(id, 'ann', index === 0 ? 'fail' : 'pass'),
      label(id, 'bob', index === 0 ? 'fail' : 'pass'),
      // A later label of the same person replaces the earlier one.
      label(id, 'bob', index === 0 ? 'fail' : 'pass'),
    ]);
    await writeFile(join(run.folder, 'labels.jsonl'), `${lines.join('\n')}\n`);
    const result = await assay(['calibrate', 'labels.jsonl', '--json'], { cwd: run.folder });
    const [{ alpha }] = JSON.parse(result.stdout).calibrations;
    expect(alpha).toMatchObject({
      people: { alpha: 1, units: 4, ratings: 8, interval: { high: 1 } },
      judges: { alpha: 0, units: 4, ratings: 12 },
      all: { units: 4, ratings: 20 },
    });
    expect(alpha.people.interval.low).toBeLessThan(1);
    const { stdout } = await assay(['calibrate', 'labels.jsonl'], { cwd: run.folder });
    expect(stdout).toMatch(/alpha, people +1\.00 \(95 % interval 0\.\d\d to 1\.00; 4 trials rated at least twice\)/);
    expect(stdout).toMatch(/alpha, judges +0\.00 /);
    // Each trial counts once, with the label of most people, however often it was labelled.
    const [calibration] = JSON.parse(result.stdout).calibrations;
    expect(calibration).toMatchObject({ compared: 4, disputed: 0 });
    expect(calibration.raterPairs).toMatchObject([
      { raters: ['ann', 'bob'], trials: 4, agreed: 4, kappa: { kappa: 1 } },
      { raters: ['ann', 'judge'], trials: 4, agreed: 3 },
      { raters: ['bob', 'judge'], trials: 4, agreed: 3 },
    ]);
    expect(stdout).toMatch(/kappa, ann and bob 1\.00 \(95 % interval 0\.\d\d to 1\.00; 4 of 4 trials alike\)/);
  });

  it('leaves out trials that as many people pass as fail', async () => {
    const folder = await labelledProject();
    const [first] = (await readFile(join(folder, 'labels.jsonl'), 'utf8')).split('\n');
    const { trialId } = JSON.parse(first ?? '');
    const lines = [
      { rater: 'ann', label: 'pass' },
      { rater: 'bob', label: 'fail' },
    ].map((label) => JSON.stringify({ trialId, ...label }));
    await writeFile(join(folder, 'labels.jsonl'), `${lines.join('\n')}\n`);
    const { stdout } = await assay(['calibrate', 'labels.jsonl', '--json'], { cwd: folder });
    expect(JSON.parse(stdout).calibrations).toMatchObject([{ compared: 0, disputed: 1, unanswered: 0 }]);
  });

  it('compares the lean and the long rules of the judge on the same labels', async () => {
    const folder = await labelledProject();
    const longer = [{ when: { system: '/Rules\\. Nothing/' }, reply: { json: criteriaReply('not-met') } }];
    await using model = await startScriptedModel({ rules: longer });
    const env = { OPENAI_API_KEY: secretKey, ...model.environment };
    const rescored = await assay(['rescore', 'latest', '--judge-prompt', 'long', '--json'], { cwd: folder, env });
    const { runId } = JSON.parse(rescored.stdout);
    const result = await assay(['calibrate', 'labels.jsonl', '--rescored', runId, '--json'], { cwd: folder });
    const { calibrations, agreements } = JSON.parse(result.stdout);
    expect(calibrations).toMatchObject([
      { identity: { promptVersion: 'criteria.v3+rules.v3' }, agreement: { count: 3, of: 4 } },
      { identity: { promptVersion: 'criteria.v3+rules-long.v3' }, agreement: { count: 1, of: 4 } },
    ]);
    expect(agreements).toMatchObject([{ agreement: { count: 0, of: 4 } }]);
    const { stdout } = await assay(['calibrate', 'labels.jsonl', '--rescored', runId], { cwd: folder });
    expect(stdout).toContain(
      'criteria.v3+rules.v3 and criteria.v3+rules-long.v3 gave the same verdict on 0 of 4 trials (0 %, 95 % interval 0 % to 49 %)',
    );
    const wrong = await assay(['calibrate', 'labels.jsonl', '--rescored', 'latest~1'], { cwd: folder });
    expect(wrong.stderr).toContain('No labelled trial was judged again in the run');
  });

  it('warns in later runs when the judge has changed since, and only then', async () => {
    const folder = await labelledProject();
    await assay(['calibrate', 'labels.jsonl'], { cwd: folder });
    const same = await runJudged({ scenario: '', folder, rules });
    expect(same.stderr).not.toContain('uncalibrated');
    const other = await runJudged({ scenario: '', folder, rules, flags: ['--judge-model', 'openai/gpt-4o'] });
    expect(other.stderr).toContain(
      'The judge is uncalibrated: its model changed since it was compared with human labels',
    );
  });

  it('says what is wrong with a label', async () => {
    const folder = await labelledProject();
    await writeFile(
      join(folder, 'labels.jsonl'),
      '{"trialId": "t-1", "label": "pass"}\n{"trialId": "t-2", "label": "good"}\n',
    );
    const result = await assay(['calibrate', 'labels.jsonl'], { cwd: folder });
    expect(result).toMatchObject({ exitCode: 2, stdout: '' });
    expect(result.stderr).toContain('labels.jsonl:2:');
    await writeFile(join(folder, 'labels.jsonl'), '{"trialId": "t-none", "label": "pass"}\n');
    expect((await assay(['calibrate', 'labels.jsonl'], { cwd: folder })).stderr).toContain('no trial "t-none"');
  });
});
