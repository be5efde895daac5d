import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Writes the software bill of materials of a build: `node scripts/sbom.mjs dist`. npm describes every package of the
 * lockfile; kept are those whose code is bundled, and those that are installed with Assay.
 */
const [dist] = process.argv.slice(2);
const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
const bundled = ['.bundled-packages.json', '.web-packages.json'].flatMap((name) =>
  JSON.parse(readFileSync(join(dist, name), 'utf8')),
);
const shipped = new Set([...bundled, ...installedPackages()].map(reference));
const bom = describeLockfile();
bom.metadata.component.name = 'assay';
bom.components = bom.components.filter((component) => shipped.has(component['bom-ref'])).map(asShipped);
bom.dependencies = bom.dependencies
  .filter(({ ref }) => shipped.has(ref) || ref === bom.metadata.component['bom-ref'])
  .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((other) => shipped.has(other)) }));
const missing = [...shipped].filter((ref) => !bom.components.some((component) => component['bom-ref'] === ref));
if (missing.length > 0) throw new Error(`npm does not describe ${missing.join(', ')}.`);
writeFileSync(join(dist, 'sbom.cdx.json'), `${JSON.stringify(bom, null, 2)}\n`);

/** In our lockfile bundled packages are for development; in what users get they are not. */
function asShipped({ properties, ...component }) {
  return { ...component, properties: properties.filter(({ name }) => name !== 'cdx:npm:package:development') };
}

function describeLockfile() {
  // Tools of which we use a part may wish for other versions of what they and we could share.
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only', '--legacy-peer-deps', '--loglevel=error'];
  const options = { cwd: root, encoding: 'utf8', maxBuffer: 64_000_000, shell: process.platform === 'win32' };
  return JSON.parse(execFileSync('npm', args, options));
}

/** The folders of all packages that come with an installation of Assay. */
function installedPackages() {
  const found = new Set();
  const waiting = [['', packages[''].dependencies]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [from, dependencies = {}] = next;
    for (const name of Object.keys(dependencies)) {
      const folder = folderOf(name, from);
      if (found.has(folder)) continue;
      found.add(folder);
      waiting.push([folder, packages[folder].dependencies]);
    }
  }
  return found;
}

/** Where Node finds a dependency: in the nearest `node_modules` above the package that needs it. */
function folderOf(name, from) {
  for (let folder = from; ; folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', name);
    if (candidate in packages) return candidate;
    if (folder === '' || folder === '.') throw new Error(`The lockfile has no ${name}.`);
  }
}

function reference(folder) {
  const { version } = packages[folder];
  return `${folder.replace(/^.*node_modules\//, '')}@${version}`;
}
