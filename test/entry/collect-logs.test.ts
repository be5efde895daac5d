import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import {
  attribute,
  type Collecting,
  collectedTraces,
  collectToken,
  exportOf,
  idOf,
  startCollecting,
} from '../../src/testing/support/collecting.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const impatient = { 'assay.config.json': JSON.stringify({ collect: { quietSecs: 0.001, idleSecs: 0.001 } }) };

/** Log records of a real agent that ran against the scripted model, without the names of its user. */
const recorded = (name: string) => readFileSync(new URL(`../fixtures/otlp/${name}-logs.json`, import.meta.url), 'utf8');

const sendLogs = ({ url }: Collecting, body: string) =>
  fetch(`${url}/v1/logs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${collectToken}` },
    body,
  });

const eventsOf = (trace: Awaited<ReturnType<typeof collectedTraces>>[number]['trace']) =>
  trace.flatMap((event) => {
    if (event.type === 'message') return [`${event.role}: ${event.text}`];
    if (event.type === 'tool-call') return [`${event.tool} ${JSON.stringify(event.input)}`];
    if (event.type === 'usage') return [`${event.inputTokens} ${event.outputTokens}`];
    return event.type === 'tool-result' ? [`result ${String(event.result).trim().split('\n').at(-1)}`] : [];
  });

it('makes a trial of the events that an agent logs of a session, each once', async () => {
  const cwd = await temporaryFolder(impatient);
  const collecting = await startCollecting(cwd);
  for (const name of ['claude-code', 'codex', 'codex']) {
    const answer = await sendLogs(collecting, recorded(name));
    expect([answer.status, await answer.json()]).toEqual([200, {}]);
  }
  expect((await collecting.stop()).counts).toMatchObject({ refused: 0, dropped: 0 });
  const trials = await collectedTraces(cwd);
  const byAgent = new Map(trials.map(({ trial, trace }) => [trial.variant.agent, { trial, events: eventsOf(trace) }]));
  expect(byAgent.get('claude-code')?.events).toEqual([
    '5 1',
    'user: run the greeting',
    '210 9',
    'assistant: I run it.',
    'Bash {"command":"echo hello-from-tool"}',
    'result null',
    '230 11',
    'assistant: It printed hello-from-tool.',
  ]);
  expect(byAgent.get('codex_exec')?.events).toEqual([
    'user: run the greeting',
    '210 9',
    'exec_command {"cmd":"echo hello-from-tool"}',
    'result hello-from-tool',
    '230 11',
  ]);
  for (const { trial } of byAgent.values()) expect(trial).toMatchObject({ outcome: 'skipped', fault: null });
});

it('joins messages that are logged for a span, whichever comes first, and keeps no other logs', async () => {
  const cwd = await temporaryFolder(impatient);
  const collecting = await startCollecting(cwd);
  const [traceId, spanId] = [idOf(7, 32), idOf(1, 16)];
  const text = (stringValue: string) => ({ stringValue });
  const body = (values: Record<string, unknown>) => ({
    kvlistValue: { values: Object.entries(values).map(([key, value]) => ({ key, value })) },
  });
  const record = (eventName: string, value: object, at: number) => ({
    ...{ traceId, spanId, eventName, body: value, attributes: [] },
    timeUnixNano: `${1_763_300_000_000 + at}000000`,
  });
  const said = record('gen_ai.user.message', body({ content: text('yes') }), 1);
  const logRecords = [
    said,
    record('gen_ai.user.message', body({ content: text('yes') }), 2),
    record('gen_ai.choice', body({ message: body({ role: text('assistant'), content: text('Done.') }) }), 3),
    record('app.started', text('hello'), 4),
    { ...said, traceId: '', spanId: '' },
  ];
  const resourceLogs = [{ resource: { attributes: [] }, scopeLogs: [{ scope: { name: 'test' }, logRecords }] }];
  expect((await sendLogs(collecting, JSON.stringify({ resourceLogs }))).status).toBe(200);
  expect((await sendLogs(collecting, '{"resourceLogs": "many"}')).status).toBe(400);
  const chat = {
    ...{
      traceId,
      spanId,
      name: 'chat',
      startTimeUnixNano: '1763300000000000000',
      endTimeUnixNano: '1763300000009000000',
    },
    attributes: [attribute('gen_ai.usage.input_tokens', 5), attribute('gen_ai.usage.output_tokens', 2)],
  };
  expect((await collecting.send(exportOf([chat]))).status).toBe(200);
  expect((await collecting.stop()).counts).toMatchObject({ spans: 4, duplicates: 0, refused: 0 });
  const trials = await collectedTraces(cwd);
  expect(trials).toHaveLength(1);
  expect(eventsOf(trials[0]?.trace ?? [])).toEqual(['user: yes', 'user: yes', 'assistant: Done.', '5 2']);
});
