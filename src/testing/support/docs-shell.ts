import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, open, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stateOfTests } from './assay.ts';
import { copyPackage } from './copied-package.ts';
import { checkout } from './markdown-samples.ts';

/** Ports that pages name; each page gets free ones in their place. */
const documentedPorts = ['8080', '8081', '8082', '8083', '7420'];

/** Output of a piece of shell, both streams as a terminal shows them. */
export interface ShellResult {
  readonly exitCode: number | null;
  readonly output: string;
}

/** The longest sample takes a quarter of it alone, and shares two cores with others. */
const hangsAfterMs = 120_000;

/** A scratch project in which the blocks of one page run, one after the other, as in one terminal. */
export class DocsShell implements AsyncDisposable {
  readonly folder: string;
  readonly #state: string;
  readonly #ports: ReadonlyMap<string, string>;
  readonly #servers: ChildProcess[] = [];
  #runs = 0;
  /** Output of the last commands, which a block of output alone refers to. */
  lastOutput = '';

  private constructor(folder: string, state: string, ports: ReadonlyMap<string, string>) {
    this.folder = folder;
    this.#state = state;
    this.#ports = ports;
  }

  /**
   * `packages` is a folder with installed packages, see `installedPackages`; `assay` is the program as a shell script,
   * which also stands for the program of the checkout that pages of examples start.
   */
  static async open(packages: string, assay: string): Promise<DocsShell> {
    const root = await realpath(await mkdtemp(join(tmpdir(), 'assay-docs-')));
    const [folder, state] = [join(root, 'project'), join(root, 'state')];
    for (const each of [folder, state, join(state, 'bin'), join(state, 'home'), join(folder, 'node_modules')]) {
      await mkdir(each, { recursive: true });
    }
    for (const name of ['assay', 'vitest', 'zod']) {
      await symlink(join(packages, name), join(folder, 'node_modules', name));
    }
    await program(join(state, 'bin', 'assay'), assay);
    await program(join(state, 'bin', 'npx'), 'exec "$@"');
    const ofCheckout = 'case "$1" in */bin/assay.js) shift; exec assay "$@" ;; esac';
    await program(join(state, 'bin', 'node'), `${ofCheckout}\nexec "${process.execPath}" "$@"`);
    const ports = new Map<string, string>();
    for (const port of documentedPorts) ports.set(port, await freePort());
    await writeFile(join(state, 'environment'), `cd "${folder}"\n`);
    return new DocsShell(folder, state, ports);
  }

  /** The folder that the last script ended in. */
  async currentFolder(): Promise<string> {
    const environment = await readFile(join(this.#state, 'environment'), 'utf8');
    return /^cd "(.*)"$/m.exec(environment)?.[1] ?? this.folder;
  }

  /** Runs a script where the last one ended: folder and exported variables carry over. */
  async run(script: string): Promise<ShellResult> {
    let result: ShellResult = { exitCode: 0, output: '' };
    for (const { text, isServer } of pieces(script)) {
      result = isServer ? await this.#serve(text) : await this.#runPiece(text);
      if (result.exitCode !== 0) return result;
    }
    return result;
  }

  async #runPiece(text: string): Promise<ShellResult> {
    const output = join(this.#state, `output-${++this.#runs}`);
    const keep = `trap 'code=$?; { export -p; echo "cd \\"$PWD\\""; } > "$DOCS_STATE/environment"; exit $code' EXIT`;
    const script = `. "$DOCS_STATE/environment"\n${keep}\nset -e\n${this.#filledIn(text)}`;
    await using file = await open(output, 'w');
    const child = spawn('sh', ['-c', script], {
      cwd: this.folder,
      env: this.#environment(),
      stdio: ['ignore', file.fd, file.fd],
      detached: true,
      // A sample that waits for something that never comes fails by its exit code, with what it printed.
      timeout: hangsAfterMs,
      killSignal: 'SIGKILL',
    });
    const exitCode = await new Promise<number | null>((resolve, reject) => {
      child.on('error', reject);
      child.on('exit', resolve);
    });
    endGroup(child);
    this.lastOutput = this.#asDocumented(await readFile(output, 'utf8'));
    return { exitCode, output: this.lastOutput };
  }

  /** Starts a server and waits for the address that it prints when it is ready. */
  async #serve(text: string): Promise<ShellResult> {
    const script = `. "$DOCS_STATE/environment"\nexec ${this.#filledIn(text)} 2>&1`;
    const child = spawn('sh', ['-c', script.replace(/exec ((?:\w+=\S+ )+)/, 'exec env $1')], {
      cwd: this.folder,
      env: this.#environment(),
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    });
    this.#servers.push(child);
    let output = '';
    const exitCode = await new Promise<number | null>((resolve, reject) => {
      child.on('error', reject);
      child.on('exit', (code) => resolve(code ?? 1));
      child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
        output += chunk;
        if (/^\s*(?:\{"url":")?https?:\/\/\S+\n/m.test(output)) resolve(0);
      });
    });
    this.lastOutput = this.#asDocumented(output);
    return { exitCode, output: this.lastOutput };
  }

  /** Free ports, and ids and URLs of the last output where a page writes `<run>`, `<trial>` or `<url>`. */
  #filledIn(text: string): string {
    let filled = text;
    for (const [documented, free] of this.#ports)
      filled = filled.replaceAll(new RegExp(`\\b${documented}\\b`, 'g'), free);
    return filled
      .replaceAll('<run>', () => /\br-\d{8}-\d{6}-[0-9a-f]{6}\b/.exec(this.lastOutput)?.[0] ?? 'no-run')
      .replaceAll('<url>', () => /https?:\/\/[^\s/"]+$/m.exec(this.lastOutput)?.[0] ?? 'no-url')
      .replaceAll('<trial>', () => /\bt-[0-9a-f]{12}-\d+-\d+\b/.exec(this.lastOutput)?.[0] ?? 'no-trial');
  }

  #asDocumented(text: string): string {
    let output = text.replaceAll(`${this.folder}/`, '').replaceAll(this.folder, '.');
    for (const [documented, free] of this.#ports) output = output.replaceAll(free, documented);
    return output;
  }

  #environment(): Record<string, string | undefined> {
    const inherited = Object.entries(process.env).filter(
      ([name]) => !/VITEST|_API_KEY$|_BASE_URL$|^ASSAY_|^CI$|^GITHUB_|^FORCE_COLOR$|^NODE_/.test(name),
    );
    const path = [join(this.#state, 'bin'), join(checkout, 'node_modules', '.bin'), process.env.PATH].join(':');
    return {
      ...Object.fromEntries(inherited),
      PATH: path,
      HOME: join(this.#state, 'home'),
      XDG_STATE_HOME: stateOfTests,
      NO_COLOR: '1',
      COLUMNS: '120',
      CHECKOUT: checkout.replace(/\/$/, ''),
      DOCS_STATE: this.#state,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of this.#servers) if (server.exitCode === null && server.signalCode === null) endGroup(server);
    await rm(join(this.folder, '..'), { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Ends a process with all that it started. */
function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // All of them have ended.
  }
}

/**
 * The built package as npm installs it, in a folder called `node_modules`: test runners transform what lies elsewhere,
 * which takes longer than all the samples.
 */
export async function installedPackages(folder: string): Promise<string> {
  const packages = join(folder, 'node_modules');
  await copyPackage(join(packages, 'assay'));
  for (const name of ['zod', 'jiti', '@photostructure', 'vitest']) {
    await symlink(join(checkout, 'node_modules', name), join(packages, name));
  }
  return packages;
}

/** A line that ends in `&` is a server; what is between such lines runs as one script. */
function pieces(script: string): { text: string; isServer: boolean }[] {
  const found: { text: string; isServer: boolean }[] = [];
  for (const line of script.trim().split('\n')) {
    const server = /^(.*[^&]) &$/.exec(line);
    const last = found.at(-1);
    if (server) found.push({ text: server[1] ?? '', isServer: true });
    else if (last && !last.isServer) last.text += `\n${line}`;
    else found.push({ text: line, isServer: false });
  }
  return found;
}

async function program(path: string, script: string): Promise<void> {
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
}

/** A port below those that the system hands out by itself: none of its connections takes it before the page does. */
async function freePort(): Promise<string> {
  for (;;) {
    const port = 18_000 + Math.floor(Math.random() * 14_000);
    if (await isFree(port)) return String(port);
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer().on('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
