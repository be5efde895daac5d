import { randomBytes } from 'node:crypto';
import { readFile, realpath, stat } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { Refusal } from './refusal.ts';
import { contentSecurityPolicy } from './security-headers.ts';

/** The start page with the nonce of its style elements in `<meta name="csp-nonce">`, where scripts find it. */
export function withNonce(page: string, nonce: string): string {
  const meta = `<meta name="csp-nonce" content="${nonce}">`;
  const written = /<meta\s[^>]*name="csp-nonce"[^>]*>/;
  if (written.test(page)) return page.replace(written, meta);
  return page.replace(/<head[^>]*>/, (head) => `${head}\n    ${meta}`);
}

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};

const incompressible = new Set(['.png', '.ico', '.woff2']);
const forOneYear = 'private, max-age=31536000, immutable';

interface KnownFile {
  readonly stamp: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly gzipped: Uint8Array<ArrayBuffer> | undefined;
}

/** The built pages. There are few files, so all are cached in memory. */
export class WebFiles {
  readonly #folder: string;
  readonly #known = new Map<string, KnownFile>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** A file of the pages, or the start page: the pages resolve their routes themselves. */
  async respond(path: string, acceptEncoding: string): Promise<Response> {
    const file = await this.#find(path);
    if (file) return this.#send(file, path, acceptEncoding);
    if (extname(path) !== '' && path.startsWith('/assets/')) {
      throw new Refusal(404, 'NOT_FOUND', `There is no file ${path}.`, { hint: 'Load the page again.' });
    }
    return this.#startPage();
  }

  async #startPage(): Promise<Response> {
    const text = await readFile(join(this.#folder, 'index.html'), 'utf8').catch(() => undefined);
    if (text === undefined) {
      throw new Refusal(503, 'PAGES_MISSING', 'The pages are not built; the API works.', {
        hint: 'Build them with `npm run build`, then load this page again.',
      });
    }
    const nonce = randomBytes(16).toString('base64');
    return new Response(withNonce(text, nonce), {
      headers: { 'content-type': types['.html'] ?? '', 'content-security-policy': contentSecurityPolicy(nonce) },
    });
  }

  /** Undefined for a path that is not a file of the pages or leads out of their folder. */
  async #find(path: string): Promise<string | undefined> {
    if (path === '/' || path === '/index.html' || path.includes('\0')) return undefined;
    const [root, real] = await Promise.all([
      realpath(this.#folder).catch(() => undefined),
      realpath(join(this.#folder, path)).catch(() => undefined),
    ]);
    if (root === undefined || real === undefined || !real.startsWith(`${root}${sep}`)) return undefined;
    return (await stat(real)).isFile() ? real : undefined;
  }

  async #send(file: string, path: string, acceptEncoding: string): Promise<Response> {
    const { bytes, gzipped } = await this.#read(file);
    const isSmaller = gzipped !== undefined && /\bgzip\b/.test(acceptEncoding);
    return new Response(isSmaller ? gzipped : bytes, {
      headers: {
        'content-type': types[extname(file)] ?? 'application/octet-stream',
        'cache-control': path.startsWith('/assets/') ? forOneYear : 'no-cache',
        vary: 'accept-encoding',
        ...(isSmaller ? { 'content-encoding': 'gzip' } : {}),
      },
    });
  }

  async #read(file: string): Promise<KnownFile> {
    const { mtimeMs, size } = await stat(file);
    const stamp = `${mtimeMs}:${size}`;
    const cached = this.#known.get(file);
    if (cached?.stamp === stamp) return cached;
    const bytes = new Uint8Array(await readFile(file));
    const gzipped = incompressible.has(extname(file)) ? undefined : new Uint8Array(await promisify(gzip)(bytes));
    const read = { stamp, bytes, gzipped };
    this.#known.set(file, read);
    return read;
  }
}
