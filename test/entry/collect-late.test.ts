import { expect, it } from 'vitest';
import {
  attribute,
  collectedTraces,
  exportOf,
  idOf,
  startCollecting,
  toolSpan,
} from '../../src/testing/support/collecting.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const collect = { quietSecs: 0.001, idleSecs: 0.001 };

function ruledProject(evaluators: readonly object[], windows: object = {}) {
  const config = { collect: { ...collect, ...windows }, rules: { safe: { evaluators } } };
  return temporaryFolder({ 'assay.config.json': JSON.stringify(config) });
}

/** The verdict of the rule on the only trace. */
async function verdictIn(cwd: string) {
  const judged = (await collectedTraces(cwd)).find(({ trial }) => trial.scenario === 'safe');
  return { outcome: judged?.trial.outcome, reason: judged?.trial.reason, code: judged?.trial.fault?.code };
}

async function sent(cwd: string, ...spans: readonly object[]): Promise<void> {
  const collecting = await startCollecting(cwd);
  expect((await collecting.send(exportOf(spans))).status).toBe(200);
  await collecting.stop();
}

const notDeleted = [{ type: 'tool-not-called', config: { tool: 'delete_all' } }];
const deleting = {
  ...toolSpan({ trace: 1, span: 2, parent: 1 }),
  name: 'execute_tool delete_all',
  attributes: [attribute('gen_ai.tool.name', 'delete_all'), attribute('gen_ai.tool.call.id', 'd')],
};

it('judges a trace again when a span comes late, and not when one comes again', async () => {
  const cwd = await ruledProject(notDeleted);
  const root = toolSpan({ trace: 1, span: 1 });
  await sent(cwd, root);
  expect(await verdictIn(cwd)).toMatchObject({ outcome: 'pass' });
  await sent(cwd, root);
  expect(await verdictIn(cwd)).toMatchObject({ outcome: 'pass' });
  await sent(cwd, deleting);
  expect(await verdictIn(cwd)).toMatchObject({ outcome: 'fail' });
});

it('cannot judge a trace for which a span came too late, or twice in different forms', async () => {
  const late = await ruledProject(notDeleted, { lateSecs: 0 });
  await sent(late, toolSpan({ trace: 1, span: 1 }));
  expect(await verdictIn(late)).toMatchObject({ outcome: 'pass' });
  const collecting = await startCollecting(late);
  // The spans of the trace are removed when it is swept, which happens at the start.
  await expect
    .poll(
      async () =>
        ((await (await collecting.send(exportOf([deleting]))).json()) as { partialSuccess?: object }).partialSuccess,
    )
    .toMatchObject({ errorMessage: expect.stringContaining('came more than 0 s after') });
  await collecting.stop();
  expect(await verdictIn(late)).toMatchObject({ outcome: 'error', code: 'TRACE_INCOMPLETE' });
  const collected = (await collectedTraces(late)).find(({ trial }) => trial.scenario !== 'safe');
  expect(collected?.trial).toMatchObject({ outcome: 'error', fault: { code: 'TRACE_INCOMPLETE' } });

  const twice = await ruledProject(notDeleted);
  await sent(twice, toolSpan({ trace: 1, span: 1 }), { ...deleting, spanId: idOf(1, 16), parentSpanId: undefined });
  expect(await verdictIn(twice)).toMatchObject({ outcome: 'error', code: 'TRACE_INCOMPLETE' });
});

it('judges by what the spans show: their times, their errors and what they lack', async () => {
  const quick = await ruledProject([{ type: 'latency-budget', config: { maxMs: 5_000 } }]);
  const chat = {
    ...toolSpan({ trace: 1, span: 1 }),
    name: 'chat',
    attributes: [
      attribute('gen_ai.operation.name', 'chat'),
      attribute('gen_ai.input.messages', '[{"role":"user","content":"Hi"}]'),
      attribute('gen_ai.output.messages', '[{"role":"assistant","content":"Hello"}]'),
    ],
  };
  await sent(quick, chat);
  expect(await verdictIn(quick)).toMatchObject({ outcome: 'pass' });

  const failed = await ruledProject([{ type: 'no-failed-calls' }]);
  await sent(failed, toolSpan({ trace: 1, span: 1, attributes: [attribute('error.type', 'timeout')] }));
  expect(await verdictIn(failed)).toMatchObject({ outcome: 'fail' });

  const dropped = await ruledProject(notDeleted);
  await sent(dropped, { ...toolSpan({ trace: 1, span: 1 }), droppedAttributesCount: 2 });
  expect(await verdictIn(dropped)).toMatchObject({ outcome: 'error', code: 'NOT_OBSERVED' });

  const orphan = await ruledProject(notDeleted);
  await sent(orphan, toolSpan({ trace: 1, span: 2, parent: 1 }));
  expect((await verdictIn(orphan)).outcome).not.toBe('pass');
});
