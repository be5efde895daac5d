import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { AssayError } from '../../../domain/errors.ts';

/** The program of the pages as a report holds it. */
export interface PageProgram {
  readonly code: string;
  /** The code as base64 of its gzipped text. */
  readonly packed: string;
  /** Unpacks the code and runs it. */
  readonly loader: string;
  readonly styles: string;
}

/**
 * Runs before the program, in browsers with and without trusted types. The policy of the page lets no other text run, so
 * the one that is made here need not check any.
 */
const loader = `(async () => {
const packed = document.querySelector('script.data-program').textContent;
const bytes = Uint8Array.from(atob(packed), (character) => character.charCodeAt(0));
const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
const code = await new Response(unpacked).text();
const policy = window.trustedTypes?.createPolicy('assay-report', { createScript: (text) => text });
const script = document.createElement('script');
script.type = 'module';
script.text = policy ? policy.createScript(code) : code;
document.body.append(script);
})();`;

/** Reads the program that the build left beside the pages. */
export async function readProgram(): Promise<PageProgram> {
  const [packed, packedStyles] = await Promise.all([readBuilt('report.js.gz'), readBuilt('report.css.gz')]);
  const [code, styles] = await Promise.all([unpacked(packed), unpacked(packedStyles)]);
  return { code, styles, loader, packed: packed.toString('base64') };
}

async function unpacked(bytes: Buffer): Promise<string> {
  return (await promisify(gunzip)(bytes)).toString('utf8');
}

/** Looks in each folder above this code, which may be a source or a part of the built program. */
async function readBuilt(name: string): Promise<Buffer> {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    const bytes = await readFile(join(folder, 'dist', 'web', 'report', name)).catch(() => undefined);
    if (bytes) return bytes;
    if (dirname(folder) === folder) {
      throw new AssayError('INTERNAL', 'The pages of the HTML report are not built.', { hint: 'Run `npm run build`.' });
    }
  }
}
