import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** Packages outside the bundles (`external` in rolldown.config.mjs) and those that they load. */
export const installedFolders = ['@photostructure/sqlite', 'jiti', 'node-gyp-build'].map((name) =>
  join('node_modules', name),
);

/** Files of the program, without the library and its types: each file costs a little time at every start. */
const ofProgram = {
  '.': /^(package\.json|LICENSE)$/,
  bin: /\.js$|^package\.json$/,
  dist: /^(cli\/([^/]+\.cjs|build-id)|web\/.+)$/,
};

/** The only script of the library that the program starts, in processes. */
const worker = 'dist/module-worker.js';

/** Imported by scenarios in code, as `assay/scenario`. */
const scenarioLibrary = 'dist/scenario.js';

/** Files of an installed package that run on an architecture. */
const ofPackage = (arch) =>
  new RegExp(
    `^(package\\.json|LICENSE|[^/]+\\.js|(dist|lib)/.+\\.[cm]?js|prebuilds/linux-${arch}/[^/]+\\.glibc\\.node)$`,
  );

/** The files of an executable for an architecture, as path and contents, sorted by path. */
export function programFiles(root, arch, generated) {
  const wanted = [...Object.entries(ofProgram), ...installedFolders.map((folder) => [folder, ofPackage(arch)])];
  const paths = wanted.flatMap(([folder, rule]) =>
    filesIn(join(root, folder), folder !== '.')
      .filter((path) => rule.test(path))
      .map((path) => join(folder, path)),
  );
  paths.push(...withParts(root, worker), ...withParts(root, scenarioLibrary));
  const files = new Map(paths.map((path) => [path, readFileSync(join(root, path))]));
  for (const [path, text] of Object.entries(generated)) files.set(path, Buffer.from(text));
  // A thread has its own `process`, whose `execPath` would be the executable (src/entry/executable/plain-node.ts).
  files.set(worker, Buffer.concat([Buffer.from("import '../executable/plain-node.cjs';\n"), files.get(worker)]));
  return [...files].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** A script with all parts that it names, directly or through others. */
function withParts(root, script, found = new Set()) {
  if (found.has(script)) return found;
  found.add(script);
  const text = readFileSync(join(root, script), 'utf8');
  for (const [, part] of text.matchAll(/["'`]\.\/([\w.-]+\.js)["'`]/g)) withParts(root, join('dist', part), found);
  return found;
}

function filesIn(folder, recursive) {
  return readdirSync(folder, { recursive, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}
