import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { assay, ended } from '../../src/testing/support/assay.ts';
import {
  attribute,
  collectedTrials,
  collectToken,
  exportOf,
  idOf,
  startCollecting,
  toolSpan,
} from '../../src/testing/support/collecting.ts';
import { canInjectFaults, startWithFault } from '../../src/testing/support/injected-faults.ts';
import { serving } from '../../src/testing/support/serving.ts';
import { startWithSmallFiles } from '../../src/testing/support/small-files.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const config = (collect: object) => ({ 'assay.config.json': JSON.stringify({ collect }) });
const impatient = { quietSecs: 0.001, idleSecs: 0.001 };

it('takes traces at the web server with the token of senders, which opens nothing else, and by roles', async () => {
  const cwd = await temporaryFolder(config(impatient));
  const tokenOf = async (role: string) =>
    (await assay(['token', 'create', role, '--role', role], { cwd })).stdout.trim();
  const [reviewer, runner] = [await tokenOf('reviewer'), await tokenOf('runner')];
  const { url, token, child } = await serving(cwd, { ASSAY_COLLECT_TOKEN: collectToken });
  const send = (bearer: string, trace: number, path = '/v1/traces') =>
    fetch(new URL(path, url), {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${bearer}` },
      body: JSON.stringify(exportOf([toolSpan({ trace, span: 1 })])),
    });
  const answers = [
    await send(collectToken, 1),
    await send(token, 2),
    await send(runner, 3),
    await send(reviewer, 4),
    await send('wrong-token-0123456789abcdef', 5),
    await fetch(new URL('/v1/traces', url), { method: 'POST', body: '{}' }),
    await fetch(new URL('/api/status', url), { headers: { authorization: `Bearer ${collectToken}` } }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 403, 401, 401, 401]);
  expect(await answers[3]?.json()).toMatchObject({ code: 7, message: expect.stringContaining('runner') });
  const end = ended(child);
  child.kill('SIGINT');
  expect((await end).exitCode).toBe(0);
  const trials = await collectedTrials(cwd);
  expect(trials.map(({ caseId }) => caseId)).toEqual([idOf(1, 32), idOf(2, 32), idOf(3, 32)]);
});

it('ends when it is interrupted, also where its store is gone and rules wait for it', async () => {
  const rules = { towns: { evaluators: [{ type: 'contains', config: { text: 'Oslo' } }] } };
  const cwd = await temporaryFolder({ 'assay.config.json': JSON.stringify({ collect: impatient, rules }) });
  const { send, ended: end, child } = await startCollecting(cwd);
  expect((await send(exportOf([toolSpan({ trace: 1, span: 1 })]))).status).toBe(200);
  await rm(join(cwd, '.assay', 'assay.db'));
  child.kill('SIGTERM');
  expect((await end).stderr).toContain('was deleted or replaced while it was in use');
});

it('refuses a second collector of a project, and leaves the first one as it is', async () => {
  const cwd = await temporaryFolder(config(impatient));
  const first = await startCollecting(cwd);
  const second = await assay(['collect', '--port', '0'], { cwd });
  expect(second).toMatchObject({ exitCode: 2, stdout: '' });
  expect(second.stderr).toContain('Another process collects traces');
  const { url, child, token } = await serving(cwd);
  const refused = await fetch(new URL('/v1/traces', url), {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify(exportOf([toolSpan({ trace: 9, span: 1 })])),
  });
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
  expect(await refused.json()).toMatchObject({ code: 14, message: expect.stringContaining('Another process') });
  child.kill('SIGINT');
  expect((await first.send(exportOf([toolSpan({ trace: 1, span: 1 })]))).status).toBe(200);
  expect((await first.stop()).counts).toMatchObject({ spans: 1, trials: 1 });
});

it('asks senders to come back while its space is full, and has what it acknowledged', async () => {
  const cwd = await temporaryFolder(config({ quietSecs: 3_600, idleSecs: 3_600, maxSpool: '300KB' }));
  const { send, stop } = await startCollecting(cwd);
  const large = (trace: number) =>
    exportOf([toolSpan({ trace, span: 1, attributes: [attribute('text', 'x'.repeat(50_000))] })]);
  let taken = 0;
  let answer = await send(large(1));
  while (answer.status === 200 && taken < 100) answer = await send(large(++taken + 1));
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '30']);
  expect(await answer.json()).toMatchObject({ code: 14 });
  expect((await stop()).counts).toMatchObject({ spans: taken, trials: taken });
  expect(await collectedTrials(cwd)).toHaveLength(taken);
});

it('keeps the traces that its rules sample, the same ones each time', async () => {
  const sample = [
    { status: 'error', keep: 1 },
    { service: 'check*', keep: 0 },
    { attributes: { 'deployment.environment': 'staging' }, keep: 0 },
    { slowerThanSecs: 60, keep: 1 },
    { keep: 0.5 },
  ];
  const cwd = await temporaryFolder(config({ ...impatient, sample }));
  const { send, stop } = await startCollecting(cwd);
  const half = 2 ** 44;
  const at = 1_763_300_000_000;
  const staging = [attribute('deployment.environment', 'staging')];
  const low = toolSpan({ trace: 1, span: 1 });
  const kept = [low, { ...low, traceId: idOf(half * 8 - 1, 32) }];
  const high = (more: number) => ({ ...low, traceId: idOf(half * 8 + more, 32) });
  const slow = { ...high(3), endTimeUnixNano: `${at + 90_000}000000` };
  const failed = { ...high(4), status: { code: 2, message: 'broken' } };
  await send(exportOf([...kept, high(2), slow, failed, { ...toolSpan({ trace: 5, span: 1, attributes: staging }) }]));
  await send(exportOf([toolSpan({ trace: 6, span: 1 })], 'checkout'));
  await send(exportOf([{ ...toolSpan({ trace: 7, span: 1 }), status: { code: 2 } }], 'checkout'));
  expect((await stop()).counts).toMatchObject({ spans: 8, trials: 5, dropped: 3, refused: 0 });
  const cases = (await collectedTrials(cwd)).map(({ caseId }) => caseId);
  expect(cases).toEqual([
    idOf(1, 32),
    idOf(7, 32),
    idOf(half * 8 - 1, 32),
    idOf(half * 8 + 3, 32),
    idOf(half * 8 + 4, 32),
  ]);
});

it('answers 503 while the spool cannot be written, and damages nothing of it', async () => {
  const cwd = await temporaryFolder(config({ quietSecs: 3_600 }));
  // A file that may not grow stands for a disk that is full.
  const limited = await startCollecting(cwd, startWithSmallFiles(2_048));
  const big = (trace: number) =>
    exportOf([toolSpan({ trace, span: 1, attributes: [attribute('text', 'y'.repeat(300_000))] })]);
  const acknowledged: number[] = [];
  let answer: Response;
  let trace = 0;
  do {
    answer = await limited.send(big(++trace));
    if (answer.status === 200) acknowledged.push(trace);
  } while (answer.status === 200 && trace < 50);
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
  expect(acknowledged.length).toBeGreaterThan(0);
  const exited = once(limited.child, 'exit');
  limited.child.kill('SIGKILL');
  await exited;
  const again = await startCollecting(cwd);
  expect((await again.send(big(trace))).status).toBe(200);
  expect((await again.stop()).exitCode).toBe(0);
  const cases = (await collectedTrials(cwd)).map(({ caseId }) => caseId);
  expect(cases).toEqual([...acknowledged, trace].map((number) => idOf(number, 32)));
});

const faults = ['collect/spool.db', 'assay.db'].flatMap((file) =>
  (['pwrite64', 'fdatasync'] as const).map((call) => ({ file, call })),
);

it.skipIf(!canInjectFaults).each(faults)(
  'has what it acknowledged where $call fails from some time on, on $file',
  { timeout: 120_000 },
  async ({ file, call }) => {
    const cwd = await temporaryFolder(config(impatient));
    // Both files are there already, and to open them takes few calls.
    await (await startCollecting(cwd)).stop();
    const faulty = startWithFault({ call, nth: '30+', error: 'EIO' }, [file]);
    const limited = await startCollecting(cwd, faulty);
    const acknowledged: number[] = [];
    for (let trace = 1; trace <= 60; trace++) {
      const answer = await limited.send(exportOf([toolSpan({ trace, span: 1 })])).catch(() => undefined);
      if (answer?.status === 200) acknowledged.push(trace);
      else if (answer)
        expect([answer.status, await answer.json()]).toEqual([503, expect.objectContaining({ code: 14 })]);
    }
    limited.child.kill('SIGINT');
    await limited.ended;
    const again = await startCollecting(cwd);
    expect((await again.stop()).exitCode).toBe(0);
    const stored = (await collectedTrials(cwd)).map(({ caseId }) => caseId);
    expect(stored.length).toBe(new Set(stored).size);
    expect(acknowledged.map((trace) => idOf(trace, 32)).filter((id) => !stored.includes(id))).toEqual([]);
    expect(acknowledged.length).toBeGreaterThan(0);
  },
);
