import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebFiles, withNonce } from './web-files.ts';

describe('WebFiles', () => {
  let folder = '';
  let files: WebFiles;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'assay-pages-'));
    await mkdir(join(folder, 'web', 'assets'), { recursive: true });
    await writeFile(join(folder, 'web', 'index.html'), '<html><head><title>Assay</title></head></html>');
    await writeFile(join(folder, 'web', 'assets', 'index-1.js'), 'console.log(1)');
    await writeFile(join(folder, 'secret.txt'), 'not public');
    await symlink(join(folder, 'secret.txt'), join(folder, 'web', 'assets', 'link.txt'));
    files = new WebFiles(join(folder, 'web'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it.each(['/', '/runs/r-1', '/index.html', '/scenarios/edit'])('shows the start page for %s', async (path) => {
    const response = await files.respond(path, '');
    const nonce = /name="csp-nonce" content="([^"]+)"/.exec(await response.text())?.[1] ?? 'none';
    expect(response.headers.get('content-security-policy')).toContain(`'nonce-${nonce}'`);
  });

  it('gives every page its own nonce', async () => {
    const [one, two] = [await files.respond('/', ''), await files.respond('/', '')];
    expect(await one.text()).not.toBe(await two.text());
  });

  it('serves files to cache, compressed where the client accepts it', async () => {
    const plain = await files.respond('/assets/index-1.js', 'br');
    const small = await files.respond('/assets/index-1.js', 'gzip, br');
    expect(await plain.text()).toBe('console.log(1)');
    expect(gunzipSync(Buffer.from(await small.arrayBuffer())).toString()).toBe('console.log(1)');
    expect(small.headers.get('content-encoding')).toBe('gzip');
    expect(plain.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(plain.headers.get('cache-control')).toContain('immutable');
  });

  it('serves a file again after it was rebuilt', async () => {
    await writeFile(join(folder, 'web', 'assets', 'index-2.js'), 'old');
    expect(await (await files.respond('/assets/index-2.js', '')).text()).toBe('old');
    await writeFile(join(folder, 'web', 'assets', 'index-2.js'), 'newer');
    expect(await (await files.respond('/assets/index-2.js', '')).text()).toBe('newer');
  });

  it.each(['/assets/link.txt', '/../secret.txt', '/assets/../../secret.txt', '/assets/gone.js', '/assets/x\0.js'])(
    'gives nothing from elsewhere for %j',
    async (path) => {
      const answer = files.respond(path, '').then((response) => response.text());
      expect(await answer.catch((error: Error) => error.message)).not.toContain('not public');
    },
  );

  it('says so where the pages are not built', async () => {
    await expect(new WebFiles(join(folder, 'none')).respond('/', '')).rejects.toThrow('The pages are not built');
  });
});

describe('withNonce', () => {
  it('fills the place that the page has for it', () => {
    const page = '<head><meta name="csp-nonce" content="__NONCE__" /></head>';
    expect(withNonce(page, 'abc')).toBe('<head><meta name="csp-nonce" content="abc"></head>');
  });
});
