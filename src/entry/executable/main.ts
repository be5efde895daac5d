import { createRequire } from 'node:module';
import { homedir, tmpdir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { getAsset, getRawAsset } from 'node:sea';
import { type Manifest, unpackOnce } from './unpack.ts';

/** The first code of the standalone executable: unpacks the program once, and starts it in this process. */

const manifest = JSON.parse(getAsset('manifest', 'utf8')) as Manifest;

if (['--version', '-v', '-V'].includes(process.argv[2] ?? '')) {
  // Answered here, so it works where nothing can be written.
  process.stdout.write(`${manifest.version}\n`);
} else {
  const folder = unpackedFolder();
  if (folder !== undefined) start(folder);
}

function unpackedFolder(): string | undefined {
  try {
    return unpackOnce(manifest, () => new Uint8Array(getRawAsset('files') as ArrayBuffer), places());
  } catch (error) {
    process.stderr.write(
      `error: The files of Assay could not be unpacked (${error instanceof Error ? error.message : error}).\n` +
        '  Set ASSAY_UNPACK_DIR to a folder that you can write to.\n',
    );
    process.exitCode = 3;
    return undefined;
  }
}

function places(): string[] {
  const { ASSAY_UNPACK_DIR: named = '', XDG_CACHE_HOME: caches = '' } = process.env;
  if (named !== '') return [resolve(named)];
  const cache = isAbsolute(caches) ? caches : join(homedir(), '.cache');
  return [join(cache, 'assay', 'executable'), join(tmpdir(), `assay-${process.geteuid?.()}`)];
}

function start(folder: string): void {
  const load = createRequire(join(folder, 'executable', 'start.cjs'));
  load('./plain-node.cjs');
  process.argv[1] = join(folder, 'bin', 'assay.js');
  // Code inside the executable cannot import modules; a file outside can.
  load('./start.cjs');
}
