import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Modules that the bundlers generate, by how their ids begin, and the package whose licence covers them. */
const generatedModules = [
  ['\0rolldown/', 'rolldown'],
  ['\0vite/', 'vite'],
  ['\0@oxc-project+runtime@', '@oxc-project/types'],
];

/**
 * A plugin for Rolldown and Vite that writes the folders of the npm packages whose code is in the bundles that it is
 * part of. `styles` names packages that contribute to a style sheet, where no module shows them.
 */
export function bundledPackages(file, styles = []) {
  const folders = new Set(styles.map(inNodeModules));
  return {
    name: 'bundled-packages',
    generateBundle(_options, bundle) {
      for (const { type, moduleIds } of Object.values(bundle)) {
        if (type !== 'chunk') continue;
        for (const folder of moduleIds.map(packageFolder)) if (folder !== undefined) folders.add(folder);
      }
    },
    writeBundle() {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, `${JSON.stringify([...folders].sort(), null, 2)}\n`);
    },
  };
}

/** The folder of the package that a module belongs to; undefined for our own modules. */
function packageFolder(id) {
  const generator = generatedModules.find(([start]) => id.startsWith(start));
  if (generator) return inNodeModules(generator[1]);
  if (id.startsWith('\0')) throw new Error(`The licence of the generated module ${JSON.stringify(id)} is unknown.`);
  const installed = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(id.replaceAll('\\', '/'));
  return installed ? relative(root, installed[0]) : undefined;
}

function inNodeModules(name) {
  return join('node_modules', name);
}
