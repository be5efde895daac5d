import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** A program from the registry that tests use, kept in a cache outside of the repository. */
export class CachedPackage {
  #folder;
  #spec;

  /**
   * `spec`: name, version, packages by version, and optionally the name of its folder, how its program tells its
   * version, whether its install scripts are left out, and the time limit of its installation.
   */
  constructor(cacheName, spec, override) {
    this.#spec = spec;
    const { folder = `${spec.name}@${spec.version}` } = spec;
    this.#folder = join(override ?? join(cacheFolder(), cacheName), folder);
  }

  get bin() {
    return join(this.#folder, 'node_modules', '.bin');
  }

  get folder() {
    return this.#folder;
  }

  /** Installs it when it is missing; returns why it cannot be had. */
  leftOutBecause() {
    const { name, version, packages, oldestNode = 0, probe, ignoresScripts = false, installMs } = this.#spec;
    const node = Number(process.versions.node.split('.')[0]);
    if (node < oldestNode) return `it needs Node.js ${oldestNode}, and this is ${node}`;
    if (existsSync(join(this.#folder, '.installed'))) return undefined;
    console.log(`Installing ${name} ${version} …`);
    rmSync(this.#folder, { recursive: true, force: true });
    mkdirSync(this.#folder, { recursive: true });
    const manifest = { private: true, dependencies: packages };
    writeFileSync(join(this.#folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
    const problem =
      failureOf(
        'npm',
        ['install', '--no-audit', '--no-fund', '--loglevel', 'error', ...(ignoresScripts ? ['--ignore-scripts'] : [])],
        this.#folder,
        installMs,
      ) ?? (probe ? failureOf(join(this.bin, probe[0]), probe.slice(1), this.#folder) : undefined);
    if (problem === undefined) writeFileSync(join(this.#folder, '.installed'), '');
    return problem;
  }
}

/** Packages for Python that tests use, in a virtual environment in the same cache. */
export class CachedPythonPackage {
  #spec;
  folder;

  /** `spec`: name, version, packages as pip names them, and optionally the time limit of their installation. */
  constructor(cacheName, spec, override) {
    this.#spec = spec;
    this.folder = join(override ?? join(cacheFolder(), cacheName), `${spec.name}@${spec.version}`);
  }

  /** Installs them when they are missing; returns why they cannot be had. */
  leftOutBecause() {
    const { name, version, packages, installMs } = this.#spec;
    if (existsSync(join(this.folder, '.installed'))) return undefined;
    console.log(`Installing ${name} ${version} …`);
    rmSync(this.folder, { recursive: true, force: true });
    mkdirSync(this.folder, { recursive: true });
    const problem =
      failureOf('python3', ['-m', 'venv', this.folder], this.folder) ??
      failureOf(join(this.folder, 'bin', 'pip'), ['install', '--quiet', ...packages], this.folder, installMs);
    if (problem === undefined) writeFileSync(join(this.folder, '.installed'), '');
    return problem;
  }
}

/** Where the registry is slow, the rest is tested without what it did not give in time. */
const usualInstallMs = 240_000;

function failureOf(program, args, cwd, timeout = usualInstallMs) {
  const { status, signal, error, stderr } = spawnSync(program, args, {
    cwd,
    encoding: 'utf8',
    timeout,
    killSignal: 'SIGKILL',
    // Nothing of it belongs into the home of whoever runs the tests.
    env: program === 'npm' || program.endsWith('pip') ? process.env : { ...process.env, HOME: cwd },
  });
  if (status === 0) return undefined;
  if (error?.code === 'ETIMEDOUT') return `${program} ${args.join(' ')}: it did not end within ${timeout / 1_000} s`;
  const said =
    stderr?.trim().split('\n').slice(0, 3).join(' ') || error?.message || `it ended with ${signal ?? status}`;
  return `${program} ${args.join(' ')}: ${said}`;
}

/** Where programs and data that tests use are kept, outside of the repository. */
export function cacheFolder() {
  if (process.env.XDG_CACHE_HOME) return process.env.XDG_CACHE_HOME;
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Caches');
  return join(homedir(), '.cache');
}
