import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { writeExecutable } from './release/executable.mjs';
import { nodePackages, postject, unpackPinned } from './release/pinned-packages.mjs';
import { installedFolders, programFiles } from './release/program-files.mjs';
import { build, install, root } from './steps.mjs';
import { thirdPartyLicences } from './third-party-licences.mjs';

/** `npm run release`: standalone executables for Linux, the script that installs them, and SHA256SUMS, in `release`. */
if (process.platform !== 'linux' || !(process.arch in nodePackages)) {
  console.error(`Executables are built on Linux x64 or arm64; this is ${process.platform} ${process.arch}.`);
  process.exit(2);
}
install();
build({ force: true, complete: true });

const release = join(root, 'release');
const fresh = join(root, `release.new-${process.pid}`);
const work = join(root, `release.work-${process.pid}`);
process.once('exit', () => {
  for (const folder of [fresh, work]) rmSync(folder, { recursive: true, force: true });
});
mkdirSync(fresh);
mkdirSync(work);

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const nodes = Object.fromEntries(
  Object.entries(nodePackages).map(([arch, pinned]) => [arch, unpackPinned(pinned, work)]),
);
const injector = unpackPinned(postject, work);
const main = join(work, 'main.cjs');
writeFileSync(main, await bundled('main.ts'));
const plainNode = await bundled('plain-node.ts');

for (const [arch, node] of Object.entries(nodes)) {
  console.log(`Building the executable for Linux ${arch} …`);
  const target = join(fresh, `assay-linux-${arch}`);
  const files = programFiles(root, arch, {
    'dist/THIRD-PARTY-LICENSES.txt': licences(node),
    'dist/sbom.cdx.json': billOfMaterials(nodePackages[arch]),
    'executable/plain-node.cjs': plainNode,
    'executable/start.cjs': "import('../bin/assay.js');\n",
  });
  await writeExecutable({
    target,
    version,
    node: join(node, 'bin', 'node'),
    builder: join(nodes[process.arch], 'bin', 'node'),
    postject: injector,
    main,
    files,
    folder: work,
  });
  chmodSync(target, 0o755);
  writeFileSync(`${target}.gz`, gzipSync(readFileSync(target), { level: 9 }));
}
copyFileSync(join(root, 'deploy', 'install.sh'), join(fresh, 'install.sh'));
writeFileSync(join(fresh, 'THIRD-PARTY-LICENSES.txt'), licences(nodes[process.arch]));
const names = readdirSync(fresh).sort();
writeFileSync(join(fresh, 'SHA256SUMS'), names.map((name) => `${sha256(join(fresh, name))}  ${name}\n`).join(''));
rmSync(release, { recursive: true, force: true });
renameSync(fresh, release);
console.log(`Release ${version}: ${release}`);

/** Code that is in the executable itself, as a script. */
async function bundled(name) {
  const bundle = await rolldown({ input: join(root, 'src', 'entry', 'executable', name), platform: 'node' });
  const { output } = await bundle.generate({ format: 'cjs' });
  await bundle.close();
  return output[0].code;
}

function licences(node) {
  const lists = ['.bundled-packages.json', '.web-packages.json'].map((name) =>
    JSON.parse(readFileSync(join(root, 'dist', name), 'utf8')),
  );
  return thirdPartyLicences([...new Set([...lists.flat(), ...installedFolders])].sort().concat(node));
}

function billOfMaterials({ name, version }) {
  const bom = JSON.parse(readFileSync(join(root, 'dist', 'sbom.cdx.json'), 'utf8'));
  const reference = `${name}@${version}`;
  const node = { 'bom-ref': reference, type: 'platform', name: 'node', version, purl: `pkg:npm/${reference}` };
  return `${JSON.stringify({ ...bom, components: [...bom.components, node] }, null, 2)}\n`;
}

function sha256(file) {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}
