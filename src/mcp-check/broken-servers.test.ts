import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSession } from '../drive/mcp/open-session.ts';
import { serverDefinitionSchema } from '../drive/mcp/server-definition.ts';
import { type CheckRequest, checkServer } from './check-server.ts';
import { breakages, type Era, eras } from './fixtures/breakages.ts';
import { brokenHttpServer } from './fixtures/broken-server.mjs';

const fixture = fileURLToPath(new URL('./fixtures/broken-server.mjs', import.meta.url));
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
    open: (how) => openSession(definition, { directory: tmpdir(), env: process.env, timeoutMs, ...how }),
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

  it.each(breakages.filter((breakage) => breakage.eras.includes(era)))(
    '$name is found by $rule over HTTP',
    async ({ name, rule }) => {
      expect(await rulesBroken(httpPlace(era, name))).toEqual([rule]);
    },
  );

  it('is found over stdio, many breakages at once', async () => {
    const broken = breakages.filter((one) => one.eras.includes(era) && !one.isOfHttp && !one.hidesOthers);
    const found = await rulesBroken(stdioPlace(era, broken.map(({ name }) => name).join()));
    expect(found.toSorted()).toEqual([...new Set(broken.map(({ rule }) => rule))].toSorted());
  });
});
