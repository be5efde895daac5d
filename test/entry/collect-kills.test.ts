import { once } from 'node:events';
import { expect, it } from 'vitest';
import { seededRandom } from '../../src/shared/seeded-random.ts';
import {
  type Collecting,
  collectedTrials,
  exportOf,
  idOf,
  startCollecting,
  toolSpan,
} from '../../src/testing/support/collecting.ts';
import { openProjectStore } from '../../src/testing/support/project-store.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const kills = 20;
const senders = 6;

it(`keeps every acknowledged span once over ${kills} kills under load`, { timeout: 600_000 }, async () => {
  const collect = { quietSecs: 0.02, idleSecs: 0.2, lateSecs: 3_600 };
  const cwd = await temporaryFolder({ 'assay.config.json': JSON.stringify({ collect }) });
  const random = seededRandom(20);
  const acknowledged = new Set<string>();
  let trace = 0;
  for (let kill = 1; kill <= kills; kill++) {
    const collecting = await startCollecting(cwd);
    const { child } = collecting;
    let left = Math.ceil(random() * 40);
    const onAcknowledged = () => {
      if (--left === 0) child.kill('SIGKILL');
    };
    await Promise.all(
      Array.from({ length: senders }, () => sendUntilDead(collecting, () => ++trace, acknowledged, onAcknowledged)),
    );
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    expect(child.signalCode).toBe('SIGKILL');
  }
  const last = await startCollecting(cwd);
  // Spans that were sent again and belong to traces whose root never came are completed by their root.
  const roots = Array.from({ length: trace }, (_, index) => toolSpan({ trace: index + 1, span: 1 }));
  while (roots.length > 0) expect(await send(last, roots.splice(0, 200))).toBe(true);
  const { exitCode } = await last.stop();
  expect(exitCode).toBe(0);
  const calls = (await collectedTrials(cwd)).flatMap((trial) => trial.calls);
  expect(calls.length).toBe(new Set(calls).size);
  const stored = new Set(calls);
  expect([...acknowledged].filter((call) => !stored.has(call))).toEqual([]);
  expect(acknowledged.size).toBeGreaterThan(kills * 10);
});

it('loses no verdict and makes none twice when it is killed', { timeout: 120_000 }, async () => {
  const rules = { looks: { evaluators: [{ type: 'no-failed-calls' }] } };
  const collect = { quietSecs: 0.001, idleSecs: 0.001 };
  const cwd = await temporaryFolder({ 'assay.config.json': JSON.stringify({ collect, rules }) });
  let trace = 0;
  for (const kill of [3, 11, 24]) {
    const { send, child } = await startCollecting(cwd);
    for (let sent = 0; sent < kill; sent++) {
      const spans = Array.from({ length: 4 }, () => toolSpan({ trace: ++trace, span: 1 }));
      expect((await send(exportOf(spans))).status).toBe(200);
    }
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  const last = await startCollecting(cwd);
  expect((await last.stop()).exitCode).toBe(0);
  const judged = (await collectedTrials(cwd)).filter(({ scenario }) => scenario === 'looks');
  expect(judged.map(({ caseId }) => caseId)).toEqual(Array.from({ length: trace }, (_, index) => idOf(index + 1, 32)));
  await using store = await openProjectStore(cwd);
  const runs = (await store.listRuns(10)).filter(({ request }) => request.origin?.kind === 'rule');
  expect(runs.map(({ status }) => status)).toEqual(runs.map(() => 'finished'));
  expect(runs.reduce((sum, { planned }) => sum + planned, 0)).toBe(trace);
});

/** Sends each trace in two parts, the end before the beginning, and some parts twice. */
async function sendUntilDead(
  collecting: Collecting,
  nextTrace: () => number,
  acknowledged: Set<string>,
  onAcknowledged: () => void,
): Promise<void> {
  for (;;) {
    const trace = nextTrace();
    const parts = [
      [toolSpan({ trace, span: 3, parent: 1 }), toolSpan({ trace, span: 2, parent: 1 })],
      [toolSpan({ trace, span: 1 })],
      ...(trace % 3 === 0 ? [[toolSpan({ trace, span: 2, parent: 1 })]] : []),
    ];
    for (const spans of parts) {
      if (!(await send(collecting, spans))) return;
      for (const { spanId } of spans) acknowledged.add(`call-${trace}-${Number.parseInt(spanId, 16)}`);
      onAcknowledged();
    }
  }
}

/** Whether the spans were acknowledged; a collector that is gone acknowledges nothing. */
async function send(collecting: Collecting, spans: readonly unknown[]): Promise<boolean> {
  const response = await collecting.send(exportOf(spans)).catch(() => undefined);
  return response?.status === 200;
}
