import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

const sources = {
  queue: 'src/keep/distribution/trial-groups.ts',
  runs: 'src/keep/distribution/work-runs.ts',
  worker: 'src/keep/distribution/trial-worker.ts',
  database: 'src/keep/distribution/work-database.ts',
  writer: 'src/engine/store-trials.ts',
  samples: 'src/testing/samples.ts',
};

/** The parts that a worker is made of, from their sources: they are no public part of the program. */
export async function loadParts() {
  const folder = await mkdtemp(join(tmpdir(), 'assay-simulation-'));
  const root = fileURLToPath(new URL('../../', import.meta.url));
  const bundle = await rolldown({
    cwd: root,
    input: sources,
    platform: 'node',
    resolve: { mainFields: ['module', 'main'] },
    logLevel: 'silent',
  });
  await bundle.write({ dir: folder, format: 'esm', entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' });
  await bundle.close();
  const modules = await Promise.all(
    Object.keys(sources).map((name) => import(pathToFileURL(join(folder, `${name}.mjs`)).href)),
  );
  // Some parts are loaded when they are needed.
  process.once('exit', () => rmSync(folder, { recursive: true }));
  return Object.assign({}, ...modules);
}
