import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { type DirectCall, endings, runCalls } from '../../src/testing/support/direct-calls.ts';
import { bodyOf, listen, reply, routes, serve } from '../../src/testing/support/http-server.ts';
import { storedBytes } from '../../src/testing/support/project-store.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

function urls(base: string, paths: readonly string[], rest: Partial<DirectCall> = {}): Record<string, DirectCall> {
  return Object.fromEntries(paths.map((path) => [path, { call: { url: `${base}/${path}` }, ...rest }]));
}

const certificateProgram = 'openssl';
const canMakeCertificate = spawnSync(certificateProgram, ['version']).status === 0;

describe('an HTTP target', () => {
  it('sends the input and takes a 2xx answer as the result', async () => {
    const url = await serve(
      routes({
        '/echo': async ({ method, headers, url: path }, response) => {
          response.end(JSON.stringify({ method, path, type: headers['content-type'] }));
        },
        '/body': async (request, response) => void response.writeHead(201).end(await bodyOf(request)),
        '/no-content': reply(204, ''),
        '/null': reply(200, 'null'),
      }),
    );
    const folder = await temporaryFolder();
    const run = await runCalls(folder, {
      post: { call: { url: `${url}/body` }, input: { text: 'häé' } },
      put: { call: { url: `${url}/echo`, method: 'PUT' } },
      get: { call: { url: `${url}/echo?fixed=1`, method: 'GET' }, input: { q: 'a b', limit: 5 } },
      'no-content': { call: { url: `${url}/no-content` } },
      null: { call: { url: `${url}/null` } },
    });
    const results = Object.fromEntries(Object.entries(run.tried).map(([name, { result }]) => [name, result]));
    expect(results).toEqual({
      post: { text: 'häé' },
      put: { method: 'PUT', path: '/echo', type: 'application/json' },
      get: { method: 'GET', path: '/echo?fixed=1&q=a+b&limit=5', type: 'application/json' },
      'no-content': undefined,
      null: null,
    });
    expect(run.exitCode).toBe(0);
  });

  it('takes any other status as an error answer, and does not follow redirects', async () => {
    const url = await serve(
      routes({
        '/nested': reply(422, '{ "error": { "message": "no such row", "code": 7 } }'),
        '/text': reply(404, '{ "error": "no such row" }'),
        '/flat': reply(400, '{ "message": "no such row" }'),
        '/html': reply(500, '<h1>Oops</h1>'),
        '/moved': reply(302, '', { location: '/elsewhere' }),
      }),
    );
    const folder = await temporaryFolder();
    const run = await runCalls(folder, urls(url, ['nested', 'text', 'flat', 'html', 'moved']));
    const errors = Object.fromEntries(Object.entries(run.tried).map(([name, { error }]) => [name, error]));
    expect(errors).toEqual({
      nested: { message: 'no such row', status: 422, body: { error: { message: 'no such row', code: 7 } } },
      text: { message: 'no such row', status: 404, body: { error: 'no such row' } },
      flat: { message: 'no such row', status: 400, body: { message: 'no such row' } },
      html: { message: 'HTTP 500: <h1>Oops</h1>', status: 500, body: '<h1>Oops</h1>' },
      moved: { message: 'HTTP 302 to /elsewhere: redirects are not followed', status: 302, location: '/elsewhere' },
    });
    expect(run).toMatchObject({ exitCode: 0, totals: { pass: 5 } });
  });

  it('tells apart all the ways of not answering', async () => {
    const url = await serve(
      routes({
        '/text': reply(200, 'hello'),
        '/empty': reply(200, ''),
        '/large': reply(200, JSON.stringify('x'.repeat(10_000_000))),
        '/reset': (request) => request.socket.destroy(),
        '/breaks-off': (request, response) => {
          response.writeHead(200, { 'content-length': '100' });
          response.write('{ "half":', () => request.socket.destroy());
        },
        '/stalls': () => undefined,
        '/drips': (_, response) => {
          const timer = setInterval(() => response.write(' '), 20);
          response.on('close', () => clearInterval(timer));
        },
      }),
    );
    const folder = await temporaryFolder();
    const run = await runCalls(folder, {
      ...urls(url, ['text', 'empty', 'large', 'reset', 'breaks-off']),
      ...urls(url, ['stalls', 'drips'], { timeoutSecs: 0.4 }),
      // A port below 1024 on which nothing listens by convention.
      refused: { call: { url: 'http://127.0.0.1:1/' } },
    });
    expect(endings(run)).toEqual({
      text: 'TARGET_OUTPUT_NOT_JSON',
      empty: 'TARGET_OUTPUT_NOT_JSON',
      large: 'TARGET_OUTPUT_TOO_LARGE',
      reset: 'TARGET_UNREACHABLE',
      'breaks-off': 'TARGET_UNREACHABLE',
      stalls: 'TARGET_TIMEOUT',
      drips: 'TARGET_TIMEOUT',
      refused: 'TARGET_UNREACHABLE',
    });
    expect(run.tried.text?.reason).toBe('HTTP 200 with a body that is not JSON: "hello"');
    expect(run.tried.empty?.reason).toBe('HTTP 200 with an empty body');
    expect(run.tried['breaks-off']?.reason).toContain('the answer broke off');
    expect(run.tried.refused?.reason).toBe('No answer from 127.0.0.1:1: connect ECONNREFUSED 127.0.0.1:1.');
    expect(run).toMatchObject({ exitCode: 3, totals: { planned: 8, pass: 0, fail: 0, error: 8, skipped: 0 } });
  });

  it('blames the file for a URL or a header that cannot be sent', async () => {
    const folder = await temporaryFolder();
    const call = { url: 'http://127.0.0.1:1/' };
    const run = await runCalls(
      folder,
      {
        'unset-in-url': { call: { url: '${NOT_SET_ANYWHERE}/path' } },
        'unset-in-header': { call: { ...call, headers: { authorization: 'Bearer ${NOT_SET_ANYWHERE}' } } },
        'not-a-url': { call: { url: '${ODD_URL}' } },
        'two-lines': { call: { ...call, headers: { 'x-odd': '${TWO_LINES}' } } },
      },
      { env: { ODD_URL: 'ftp://somewhere', TWO_LINES: 'first\nsecond' } },
    );
    expect(new Set(Object.values(endings(run)))).toEqual(new Set(['TARGET_NOT_LOADED']));
    expect(run.tried['unset-in-url']?.reason).toContain('needs NOT_SET_ANYWHERE, which is not set');
    expect(run.tried['unset-in-header']?.reason).toBe(
      'The header authorization needs NOT_SET_ANYWHERE, which is not set.',
    );
    expect(run.tried['not-a-url']?.reason).toBe('"${ODD_URL}" is not an http or https URL.');
    expect(run.tried['two-lines']?.reason).toBe('The header "x-odd" cannot be sent.');
    expect(run.exitCode).toBe(2);
  });

  it('sends the value of a variable, and stores and prints only its name', async () => {
    let received: string | undefined;
    const url = await serve(({ headers }, response) => {
      received = headers.authorization;
      response.writeHead(401).end('{ "error": "no" }');
    });
    const folder = await temporaryFolder();
    const secret = 'tell-nobody-4711';
    const call = { url: `${url}/\${SECRET_OF_TEST}`, headers: { authorization: 'Bearer ${SECRET_OF_TEST}' } };
    const run = await runCalls(folder, { it: { call } }, { env: { SECRET_OF_TEST: secret } });
    expect(received).toBe(`Bearer ${secret}`);
    expect(run.tried.it?.trace[0]).toMatchObject({ tool: `POST ${url}/\${SECRET_OF_TEST}` });
    expect(JSON.stringify(run)).not.toContain(secret);
    const stored = await storedBytes(folder);
    expect(stored.includes(secret)).toBe(false);
  });

  it.each([
    ['a new', 0],
    ['a kept', 1],
  ])('never repeats a payment that %s connection lost: the case is an error', async (_, keptExchanges) => {
    const paid: string[] = [];
    const exchanges = new WeakMap<object, number>();
    const url = await serve(async (request, response) => {
      const body = await bodyOf(request);
      const earlier = exchanges.get(request.socket) ?? 0;
      exchanges.set(request.socket, earlier + 1);
      paid.push(body);
      if (earlier >= keptExchanges) request.socket.destroy();
      else response.end(body);
    });
    const folder = await temporaryFolder();
    const inputs = Array.from({ length: 12 }, (_unused, index) => index + 1);
    const cases = inputs.map((input) => ({ name: String(input), input }));
    const run = await runCalls(folder, { it: { call: { url }, cases } }, { args: ['--concurrency', '1'] });
    expect(paid).toEqual(inputs.map(String));
    const lost = Object.values(run.tried).filter(({ fault }) => fault?.code === 'TARGET_UNREACHABLE');
    expect(lost.length).toBeGreaterThan(0);
    expect(run.totals).toMatchObject({ pass: inputs.length - lost.length, error: lost.length });
    expect(lost[0]?.reason).toContain('The request may have been processed, so it was not sent again.');
    expect(run.exitCode).toBe(3);
  });

  it('reads compressed answers, and goes through the proxy of the environment', async () => {
    const seen: (string | undefined)[] = [];
    const proxy = await serve(({ url }, response) => {
      seen.push(url);
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('{ "paid": true }'));
    });
    const folder = await temporaryFolder();
    const call = { url: 'http://payments.test/pay' };
    const run = await runCalls(folder, { it: { call } }, { env: { HTTP_PROXY: proxy } });
    expect(run.tried.it?.result).toEqual({ paid: true });
    expect(seen).toEqual(['http://payments.test/pay']);
  });

  it.runIf(canMakeCertificate)('says so when a certificate is refused', async () => {
    const folder = await temporaryFolder();
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
    spawnSync(certificateProgram, [
      'req',
      '-x509',
      ...curve,
      '-subj',
      '/CN=127.0.0.1',
      '-days',
      '1',
      '-keyout',
      key,
      '-out',
      cert,
    ]);
    const url = await listen(createServer({ key: await readFile(key), cert: await readFile(cert) }), 'https');
    const run = await runCalls(folder, { it: { call: { url } } });
    expect(run.tried.it).toMatchObject({ outcome: 'error', fault: { code: 'TARGET_UNREACHABLE' } });
    expect(run.tried.it?.reason).toContain('self-signed certificate (DEPTH_ZERO_SELF_SIGNED_CERT)');
  });
});
