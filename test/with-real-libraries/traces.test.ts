import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { TrialRecord } from '../../src/domain/record.ts';
import type { Trace } from '../../src/domain/trace.ts';
import { startScriptedModel } from '../../src/drive/models/scripted/start-scripted-model.ts';
import { collectedTraces, collectToken, startCollecting } from '../../src/testing/support/collecting.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';
import { type SendingLibrary, sendingLibraries } from './sending-libraries.ts';
import { type Served, served, weatherScript } from './weather-script.ts';

const installed = JSON.parse(process.env.ASSAY_TEST_LIBRARIES ?? 'null') as Record<
  string,
  { readonly folder: string; readonly node: string }
> | null;
if (installed === null) throw new Error('Run these tests with `npm run test:traces`, which installs the libraries.');

const senders = fileURLToPath(new URL('./senders', import.meta.url));
const calm = 'What is the weather in Rome?';
const parallel = 'What is the weather in Rome and Oslo?';
const unknown = 'What is the weather in Atlantis?';
const refused = 'What is the weather on Pluto?';
const service = 'weather-bot';

describe('traces have what the model served, from', () => {
  for (const [name, library] of Object.entries(sendingLibraries)) {
    const found = installed[library.packages];
    it.skipIf(found === undefined)(name, async () => {
      const sent = await sendTraces(library, found ?? { folder: '', node: '' });
      const expectedOf = (question: string): Served => {
        const expected = served(sent.log, question);
        return library.hidesSystemPrompt ? withoutSystem(expected) : expected;
      };
      for (const question of library.dropsParallelCalls ? [calm] : [calm, parallel]) {
        const { trial, trace } = sent.of(question);
        expect(trial).toMatchObject({ outcome: 'skipped', fault: null, variant: { model: 'test-model' } });
        expect(observed(trace)).toEqual(expectedOf(question));
      }
      const { results: _, ...rest } = expectedOf(unknown);
      const { trace } = sent.of(unknown);
      expect(observed(trace)).toMatchObject(rest);
      expectFailedTool(library, trace);
      if (!library.hidesFailedRequests) expectFailedRequest(sent.failed());
      expect(sent.trials).toBe(library.hidesFailedRequests ? 3 : 4);
    });
  }
});

function expectFailedTool({ hidesTools, hidesToolErrors }: SendingLibrary, trace: Trace): void {
  const results = trace.filter((event) => event.type === 'tool-result');
  expect(results).toHaveLength(1);
  const [result] = results;
  expect(result?.error === undefined).toBe(hidesTools === true);
  expect(result?.error?.message ?? result?.result).toMatch(hidesToolErrors ? /weather/ : /no such city/);
}

function expectFailedRequest({ trial, trace }: { readonly trial: TrialRecord; readonly trace: Trace }): void {
  expect([trial.outcome, trial.fault]).toEqual(['error', null]);
  expect(trial.reason).toContain('The script answers with 400');
  expect(trace.filter(({ type }) => type === 'tool-call')).toEqual([]);
}

/** Runs a library against a scripted model, with a collector for its traces. */
async function sendTraces({ sender, env = {} }: SendingLibrary, found: { folder: string; node: string }) {
  await using model = await startScriptedModel(weatherScript);
  const cwd = await temporaryFolder({
    'assay.config.json': JSON.stringify({ collect: { quietSecs: 0.05, idleSecs: 0.05 } }),
    'sender/package.json': '{"type":"module"}',
  });
  const folder = join(cwd, 'sender');
  cpSync(senders, folder, { recursive: true });
  symlinkSync(join(found.folder, 'node_modules'), join(folder, 'node_modules'));
  const collecting = await startCollecting(cwd);
  const child = spawn(found.node, [join(folder, sender)], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      ...process.env,
      ...model.environment,
      ...env,
      // The OpenAI Agents SDK sends nothing in tests.
      NODE_ENV: 'production',
      OPENAI_API_KEY: 'any',
      OTEL_SERVICE_NAME: service,
      OTEL_EXPORTER_OTLP_ENDPOINT: collecting.url,
      OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${collectToken}`,
      WEATHER_AUTHORIZATION: `Bearer ${collectToken}`,
      WEATHER_QUESTIONS: JSON.stringify([calm, parallel, unknown, refused]),
    },
  });
  let printed = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  const [exitCode] = await once(child, 'close');
  const { counts } = await collecting.stop();
  expect([exitCode, counts.refused], printed).toEqual([0, 0]);
  const trials = await collectedTraces(cwd);
  return {
    log: model.log(),
    trials: trials.length,
    /** The trial of the request that failed. */
    failed() {
      const own = trials.filter(({ trial }) => trial.outcome === 'error');
      expect(own).toHaveLength(1);
      return own[0] as (typeof trials)[number];
    },
    of(question: string) {
      const own = trials.filter(({ trace }) => observed(trace).texts.includes(`user: ${question}`));
      expect(own).toHaveLength(1);
      return own[0] as (typeof trials)[number];
    },
  };
}

/** The part of a trace that the model served. */
function observed(trace: Trace): Served {
  return {
    texts: trace.flatMap((event) => (event.type === 'message' ? [`${event.role}: ${event.text}`] : [])),
    calls: trace.flatMap((event) =>
      event.type === 'tool-call' ? [{ callId: event.callId, tool: event.tool, input: event.input }] : [],
    ),
    // Results of calls that ran at the same time come in any order.
    results: trace
      .flatMap((event) => (event.type === 'tool-result' ? [[event.callId, event.result] as const] : []))
      .sort(),
    tokens: trace.flatMap((event) =>
      event.type === 'usage' ? [[event.inputTokens ?? 0, event.outputTokens ?? 0]] : [],
    ),
  };
}

function withoutSystem(expected: Served): Served {
  return { ...expected, texts: expected.texts.filter((text) => !text.startsWith('system: ')) };
}
