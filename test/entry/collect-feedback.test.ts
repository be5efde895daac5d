import { expect, it } from 'vitest';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import {
  attribute,
  collectToken,
  exportOf,
  idOf,
  startCollecting,
  toolSpan,
} from '../../src/testing/support/collecting.ts';
import { criteriaReply } from '../../src/testing/support/judged-project.ts';
import { meteredModel } from '../../src/testing/support/metered-model.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

it('calibrates the judge of a rule by labels of people, however they were sent', async () => {
  const model = await meteredModel({ textFor: () => JSON.stringify(criteriaReply('met', 'seen', 'e2')) });
  const judge = { model: 'openai/metered', successCriteria: 'The desk was looked at.' };
  const config = { collect: { quietSecs: 0.001, idleSecs: 0.001 }, rules: { kind: { judge } } };
  const cwd = await temporaryFolder({ 'assay.config.json': JSON.stringify(config) });
  const { url, send, stop } = await startCollecting(cwd, undefined, model.env);
  const label = (body: unknown, token = collectToken) =>
    fetch(`${url}/v1/feedback`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    });
  const evaluation = (name: string, word: string) => ({
    name: 'gen_ai.evaluation.result',
    attributes: [attribute('gen_ai.evaluation.name', name), attribute('gen_ai.evaluation.score.label', word)],
  });
  const annotation = (kind: string, score: number) => [
    attribute('trace.annotations.0.annotation.name', 'helpful'),
    attribute('trace.annotations.0.annotation.annotator_kind', kind),
    attribute('trace.annotations.0.annotation.score', score),
  ];
  const spans = [
    toolSpan({ trace: 1, span: 1 }),
    { ...toolSpan({ trace: 2, span: 1 }), events: [evaluation('user_feedback', 'thumbs_down')] },
    { ...toolSpan({ trace: 3, span: 1 }), events: [evaluation('relevance', 'fail')] },
    toolSpan({ trace: 4, span: 1, attributes: annotation('HUMAN', 1) }),
    toolSpan({ trace: 5, span: 1, attributes: annotation('LLM', 0) }),
    toolSpan({ trace: 6, span: 1, attributes: annotation('HUMAN', 0.5) }),
  ];
  expect((await send(exportOf(spans))).status).toBe(200);
  const answers = [
    await label({ traceId: idOf(1, 32), label: 'fail', rater: 'ann' }),
    await label({ traceId: idOf(1, 32), label: 'pass', rater: 'ann' }),
    await label({ traceId: idOf(99, 32), label: 'pass' }),
    await label({ traceId: 'x', label: 'pass' }),
    await label({ traceId: idOf(1, 32), label: 'maybe' }),
    await label({ traceId: idOf(1, 32), label: 'pass' }, 'wrong-token-0123456789abcdef'),
  ];
  expect(answers.map(({ status }) => status)).toEqual([204, 204, 204, 400, 400, 401]);
  expect((await stop()).counts).toMatchObject({ judged: 6 });
  const { exitCode, stdout, stderr } = await assay(['calibrate', '--feedback', '--json'], { cwd });
  expect([exitCode, stderr]).toEqual([0, '']);
  const [calibration] = JSON.parse(stdout).calibrations;
  expect(calibration).toMatchObject({
    identity: { model: 'openai/metered' },
    compared: 3,
    unanswered: 0,
    confusion: { bothPass: 2, judgePassHumanFail: 1, judgeFailHumanPass: 0, bothFail: 0 },
  });
});

it('says when no label can be compared', async () => {
  const cwd = await temporaryFolder({ 'assay.config.json': '{}' });
  expect((await assay(['runs'], { cwd })).exitCode).toBe(0);
  const none = await assay(['calibrate', '--feedback'], { cwd });
  expect([none.exitCode, none.stderr]).toEqual([2, expect.stringContaining('None of 0 labels')]);
  expect((await assay(['calibrate'], { cwd })).exitCode).toBe(2);
});
