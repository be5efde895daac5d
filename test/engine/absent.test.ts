import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { bodyOf, serve } from '../../src/testing/support/http-server.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

/** An agent that gives this document as its answer. */
function agentThatSays(document: unknown): Promise<string> {
  return serve(async (request, response) => {
    await bodyOf(request);
    response.setHeader('content-type', 'application/json');
    response.end(typeof document === 'string' ? document : JSON.stringify(document));
  });
}

async function conversation(document: unknown, evaluators: readonly object[], connector: object = {}) {
  const baseUrl = await agentThatSays(document);
  const scenario = {
    name: 'Silent',
    connector: { type: 'http', baseUrl, ...connector },
    userMessages: ['Hello'],
    evaluators,
  };
  const cwd = await temporaryFolder({ 's.json': JSON.stringify(scenario) });
  const result = await assay(['run', 's.json', '--json'], { cwd });
  if (!result.stdout.startsWith('{')) throw new Error(result.stderr);
  const run = JSON.parse(result.stdout);
  return { exitCode: result.exitCode, run, trial: run.trials[0], cwd };
}

/** A report of the newest run, which the program leaves in a file. */
async function reported(format: string, cwd: string): Promise<string> {
  const { stdout } = await assay(['report', 'latest', '--format', format], { cwd });
  return readFile(stdout.trim(), 'utf8');
}

const negative = [
  { type: 'tool-not-called', config: { tool: 'delete' } },
  { type: 'no-failed-calls' },
  { type: 'no-repeated-calls' },
  { type: 'tool-call-budget', config: { maxCalls: 3 } },
];

describe('what a target does not report', () => {
  it.each(negative)('is not taken for something that did not happen: $type', async (evaluator) => {
    const silent = await conversation({ content: 'Done' }, [evaluator]);
    expect(silent.exitCode).toBe(3);
    expect(silent.trial).toMatchObject({
      outcome: 'error',
      reason: `${evaluator.type}: Not all tool calls were observed: the target does not report tool calls.`,
      fault: { code: 'NOT_OBSERVED' },
    });
    const declared = await conversation({ content: 'Done' }, [evaluator], { reports: ['tool-calls'] });
    expect(declared.trial.outcome).toBe('pass');
    const chat = await conversation({ choices: [{ message: { role: 'assistant', content: 'Done' } }] }, [evaluator]);
    expect(chat.trial.outcome).toBe('pass');
  });

  it('is absent in every report, and a free trial is told from one of unknown cost', async () => {
    const evaluators = [
      { type: 'contains', config: { text: 'Done' } },
      { type: 'token-usage', config: { track: 'input' } },
      { type: 'token-usage', config: { track: 'output' } },
      { type: 'tool-call-count' },
      { type: 'time-to-first-token-ms' },
    ];
    const { run, trial, cwd } = await conversation({ content: 'Done' }, evaluators);
    expect(run).toMatchObject({ costUsd: null, usage: null, cost: { knownUsd: 0, unknownTrials: 1 } });
    expect(run).toMatchObject({ tokens: { knownInput: 0, knownOutput: 0, unknownTrials: 1 } });
    expect(trial).toMatchObject({ outcome: 'pass', costUsd: null });
    expect(trial.metrics).toEqual({
      'token-usage:input': null,
      'token-usage:output': null,
      'tool-call-count': null,
      'time-to-first-token-ms': null,
    });
    const reason = "No token usage data available (connector doesn't provide it)";
    expect(trial.evaluatorResults[1]).toMatchObject({ type: 'token-usage', state: 'no-data', value: 0, reason });
    const report = (format: string) => reported(format, cwd);
    const [header = '', row = ''] = (await report('csv')).split('\r\n');
    const cell = (name: string): string | undefined => row.split(',')[header.split(',').indexOf(name)];
    expect([cell('cost_usd'), cell('metric.token-usage:input'), cell('metric.tool-call-count')]).toEqual(['', '', '']);
    expect(await report('markdown')).toContain('cost: 1 trial did not report its cost');
    expect(await report('otlp')).not.toMatch(/assay\.cost_usd|token-usage/);
    expect((await assay(['show', 'latest'], { cwd })).stdout).toContain('1 trial did not report its cost');
    expect((await assay(['show', trial.trialId], { cwd })).stdout).toMatch(/- token-usage:input –: /);
  });
});

describe('answers in other shapes', () => {
  const parts = [
    { type: 'text', text: 'Table ' },
    { type: 'text', text: 'booked' },
  ];
  it.each([
    ['content parts', { message: { role: 'assistant', content: parts } }],
    ['parts of UI messages', { messages: [{ role: 'assistant', parts }] }],
    ['parts of Gemini', { message: { role: 'model', content: { parts: [{ text: 'Table booked' }] } } }],
    ['a reply', { reply: 'Table booked' }],
    ['a byte order mark', '\uFEFF{"content":"Table booked"}'],
    [
      'choices out of order',
      {
        choices: [
          { index: 1, message: { role: 'assistant', content: 'No' } },
          { index: 0, message: { role: 'assistant', content: 'Table booked' } },
        ],
      },
    ],
  ])('are read: %s', async (_, document) => {
    const { trial } = await conversation(document, [{ type: 'equals', config: { text: 'Table booked' } }]);
    expect(trial).toMatchObject({ outcome: 'pass' });
  });

  it('with nothing in them satisfy nothing', async () => {
    const { trial, exitCode } = await conversation({ content: '' }, [{ type: 'not-contains', config: { text: 'x' } }]);
    expect(trial).toMatchObject({ outcome: 'fail', reason: 'The answer is empty' });
    expect(exitCode).toBe(1);
  });
});

describe('files made elsewhere', () => {
  const scenario = JSON.stringify({
    name: 'Imported',
    connector: { type: 'http', baseUrl: 'http://127.0.0.1:9' },
    userMessages: ['Hello'],
    evaluators: [{ type: 'tool-not-called', config: { tool: 'delete' } }],
  });

  it('do not pass where nothing in their spans was understood', async () => {
    const attribute = (key: string, value: string) => ({ key, value: { stringValue: value } });
    const span = {
      ...{ traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), name: 'ChatCompletion' },
      attributes: [attribute('openinference.span.kind', 'LLM'), attribute('llm.model_name', 'gpt-4o')],
    };
    const otlp = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] });
    const cwd = await temporaryFolder({ 's.json': scenario, 'trace.json': otlp });
    const { stdout, exitCode } = await assay(['evaluate', 'trace.json', '--scenario', 's.json', '--json'], { cwd });
    const [trial] = JSON.parse(stdout).trials;
    expect(trial).toMatchObject({ outcome: 'error', fault: { code: 'TRACE_NOT_UNDERSTOOD' } });
    expect(trial.reason).toContain('OpenInference');
    expect(exitCode).toBe(3);
  });

  it('without tool calls prove nothing about them', async () => {
    const cwd = await temporaryFolder({ 's.json': scenario, 'talk.txt': 'User: Hello\nAssistant: Done\n' });
    const { stdout } = await assay(['evaluate', 'talk.txt', '--scenario', 's.json', '--json'], { cwd });
    const [trial] = JSON.parse(stdout).trials;
    expect(trial).toMatchObject({ outcome: 'error', fault: { code: 'NOT_OBSERVED' } });
  });

  it('have no duration and no cost that nobody measured', async () => {
    const cwd = await temporaryFolder({});
    await writeFile(join(cwd, 'talk.txt'), 'User: Hello\nAssistant: Done\n');
    await assay(['import', 'talk.txt'], { cwd });
    const json = JSON.parse(await reported('json', cwd));
    expect(json).toMatchObject({ durationMs: null, costUsd: null, usage: null });
    expect(json.trials[0]).toMatchObject({ durationMs: null, costUsd: null });
    expect(await reported('junit', cwd)).not.toContain('time=');
  });
});
