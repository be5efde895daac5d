import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSession } from '../drive/mcp/open-session.ts';
import { serverDefinitionSchema } from '../drive/mcp/server-definition.ts';
import { type CheckRequest, checkServer } from './check-server.ts';
import { brokenHttpServer } from './fixtures/broken-server.mjs';

const fixture = fileURLToPath(new URL('./fixtures/broken-server.mjs', import.meta.url));
const eras = ['legacy', 'modern'] as const;
type Era = (typeof eras)[number];

/** Each way of being broken with the one rule that finds it. */
const inBothEras = {
  'tool-schema-wrong': 'schema-invalid',
  'content-missing': 'result-malformed',
  'structured-content-wrong': 'output-schema-mismatch',
  'is-error-missing': 'error-not-marked',
  'arguments-unchecked': 'invalid-arguments-accepted',
  'error-code-outside': 'error-code-invalid',
  'answers-twice': 'protocol-noise',
  'notification-with-id': 'notification-with-id',
  'unknown-tool-accepted': 'unknown-tool-accepted',
  'unknown-method-accepted': 'unknown-method-accepted',
  'capability-undeclared': 'capability-undeclared',
  'tools-change-silently': 'tools-changed-unannounced',
  'pages-loop': 'list-failed',
  'resource-unreadable': 'resource-unreadable',
  'unknown-resource-accepted': 'unknown-resource-accepted',
  'prompt-arguments-ignored': 'prompt-arguments-unchecked',
  'completion-too-long': 'completion-malformed',
  'progress-falls': 'progress-malformed',
  'progress-unknown-token': 'progress-malformed',
  'log-below-level': 'log-below-level',
} as const;

const inOneEra: Readonly<Record<Era, Readonly<Record<string, string>>>> = {
  legacy: {
    'ping-refused': 'ping-unanswered',
    'logs-undeclared': 'capability-undeclared',
    'samples-unasked': 'client-capability-assumed',
  },
  modern: {
    'result-type-missing': 'result-type-missing',
    'version-accepted': 'protocol-version-unchecked',
    'meta-ignored': 'request-meta-unchecked',
  },
};

const overHttp: Readonly<Record<Era, Readonly<Record<string, string>>>> = {
  legacy: {
    'origin-unchecked': 'origin-unchecked',
    'content-type-wrong': 'server-failed',
    'session-ignored': 'session-id-unchecked',
  },
  modern: {
    'origin-unchecked': 'origin-unchecked',
    'content-type-wrong': 'server-failed',
    'method-header-unchecked': 'header-mismatch-accepted',
  },
};

/** Breakages that keep others from being seen. */
const hides = new Set([
  'logs-undeclared',
  'tool-schema-wrong',
  'is-error-missing',
  'arguments-unchecked',
  'unknown-tool-accepted',
  'capability-undeclared',
  'pages-loop',
  'resource-unreadable',
]);

const server = brokenHttpServer();
let origin = '';

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

type Place = { readonly url: string } | { readonly command: string; readonly args: readonly string[] };

async function rulesBroken(place: Place): Promise<string[]> {
  const definition = serverDefinitionSchema().parse(place);
  const timeoutMs = 30_000;
  const request: CheckRequest = {
    open: (onFrame) => openSession(definition, { directory: tmpdir(), env: process.env, timeoutMs, onFrame }),
    http: 'url' in place ? { url: new URL(place.url), headers: {}, timeoutMs } : undefined,
    timeoutMs,
    callsPerTool: 2,
    concurrency: 4,
    callsAll: false,
    call: [],
    skip: [],
    seed: 1,
    knownArguments: new Map(),
  };
  const { report } = await checkServer(request);
  expect(report.incomplete).toBeNull();
  expect(report.server.protocolVersion).not.toBe('');
  return [...new Set(report.problems.map(({ id }) => id))];
}

const httpPlace = (era: Era, breakage: string): Place => ({ url: `${origin}/${era}/${breakage}` });
const stdioPlace = (era: Era, breakage: string): Place => ({ command: 'node', args: [fixture, era, breakage] });

describe.each(eras)('a server of the %s protocol that is broken in one way', (era) => {
  it('is not reported when it is right', async () => {
    expect(await rulesBroken(httpPlace(era, 'nothing'))).toEqual([]);
    expect(await rulesBroken(stdioPlace(era, 'nothing'))).toEqual([]);
  });

  it.each(Object.entries({ ...inBothEras, ...inOneEra[era], ...overHttp[era] }))(
    '%s is found by %s over HTTP',
    async (breakage, rule) => {
      expect(await rulesBroken(httpPlace(era, breakage))).toEqual([rule]);
    },
  );

  it('is found over stdio, many breakages at once', async () => {
    const broken = Object.entries({ ...inBothEras, ...inOneEra[era] }).filter(([breakage]) => !hides.has(breakage));
    const found = await rulesBroken(stdioPlace(era, broken.map(([breakage]) => breakage).join()));
    expect(found.toSorted()).toEqual([...new Set(broken.map(([, rule]) => rule))].toSorted());
  });
});
