import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** What a production install of the packed program brings along. */
export function installSize() {
  const folder = mkdtempSync(join(tmpdir(), 'assay-install-'));
  try {
    const npm = (args, cwd) =>
      execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    const packed = npm(['pack', '--silent', '--pack-destination', folder], root).trim().split('\n').at(-1);
    writeFileSync(join(folder, 'package.json'), '{ "private": true }');
    npm(['install', '--ignore-scripts', '--no-audit', '--no-fund', join(folder, packed)], folder);
    const version = execFileSync(
      process.execPath,
      [join(folder, 'node_modules/assay/bin/assay.js'), 'doctor', '--json'],
      { cwd: folder, encoding: 'utf8' },
    );
    const works = JSON.parse(version).findings.every((finding) => finding.isGood);
    const lock = JSON.parse(readFileSync(join(folder, 'node_modules', '.package-lock.json'), 'utf8'));
    const packages = Object.values(lock.packages);
    const scripts = packages.filter((entry) => entry.hasInstallScript).length;
    const megabytes = sizeOf(join(folder, 'node_modules')) / 1e6;
    return [
      {
        what: 'production install, packages',
        measured: String(packages.length),
        target: 'at most 80',
        isMet: packages.length <= 80,
      },
      { what: '  size', measured: `${megabytes.toFixed(1)} MB`, target: 'at most 45 MB', isMet: megabytes <= 45 },
      { what: '  install scripts', measured: String(scripts), target: 'none', isMet: scripts === 0 },
      { what: '  works without them', measured: works ? 'yes' : 'no', target: 'yes', isMet: works },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function sizeOf(path) {
  const entry = statSync(path);
  if (!entry.isDirectory()) return entry.size;
  return readdirSync(path).reduce((total, name) => total + sizeOf(join(path, name)), 0);
}
