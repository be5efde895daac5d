import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const fuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

/**
 * Writes an executable: a copy of Node.js with the first code and the files that it unpacks (src/entry/executable).
 * `builder` is a Node.js of the same version that runs on this machine.
 */
export async function writeExecutable({ target, version, node, builder, postject, main, files, folder }) {
  const packed = gzipSync(Buffer.concat(files.map(([, contents]) => contents)), { level: 9 });
  const sha256 = createHash('sha256').update(packed).digest('hex');
  const build = createHash('sha256').update(sha256).update(readFileSync(node)).digest('hex').slice(0, 16);
  const manifest = {
    version,
    folder: `${version}-${build}`,
    sha256,
    files: files.map(([path, contents]) => ({ path, bytes: contents.length })),
  };
  const at = (name) => join(folder, name);
  writeFileSync(at('files'), packed);
  writeFileSync(at('manifest'), JSON.stringify(manifest));
  const config = {
    main,
    output: at('blob'),
    disableExperimentalSEAWarning: true,
    assets: { files: at('files'), manifest: at('manifest') },
  };
  writeFileSync(at('config.json'), JSON.stringify(config));
  const { status, stderr } = spawnSync(builder, ['--experimental-sea-config', at('config.json')], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`Node.js could not pack the program: ${stderr}`);
  copyFileSync(node, target);
  await inject(postject, target, readFileSync(at('blob')));
}

/** Its library writes warnings about names of sections to the console, which mean nothing here. */
async function inject(postject, target, blob) {
  const { warn, log, error } = console;
  Object.assign(console, { warn: () => undefined, log: () => undefined, error: () => undefined });
  try {
    const api = createRequire(import.meta.url)(join(postject, 'dist', 'api.js'));
    await api.inject(target, 'NODE_SEA_BLOB', blob, { sentinelFuse: fuse });
  } finally {
    Object.assign(console, { warn, log, error });
  }
}
