import * as fs from 'node:fs';
import { access, readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { isRecord } from '../../shared/json.ts';
import { runProcess } from '../../shared/processes/run-process.ts';
import { shownMessage } from '../session/answer-text.ts';

const packageName = '@modelcontextprotocol/conformance';
const outputLimitBytes = 262_144;

type Env = Readonly<Record<string, string | undefined>>;

/** A scenario as the suite lists it. */
export interface ListedScenario {
  readonly name: string;
  readonly kind: 'server' | 'authorization';
  /** Versions of the specification, or words such as `draft` and `extension`. */
  readonly versions: readonly string[];
}

interface SuiteOptions {
  /** Only where it is installed, or also fetched by npx. */
  readonly source: 'installed' | 'npx';
  /** Where the suite is looked for, and what it runs in. */
  readonly directory: string;
  readonly env: Env;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** The official suite: a program that is found, or fetched, and started for each scenario. */
export class ConformanceSuite {
  readonly version: string | null;
  readonly #command: string;
  readonly #options: SuiteOptions;

  private constructor(command: string, version: string | null, options: SuiteOptions) {
    this.#command = command;
    this.version = version;
    this.#options = options;
  }

  /** The suite as it is installed in the project or above it, or through npx; a text says why it cannot be had. */
  static async find(options: SuiteOptions): Promise<ConformanceSuite | string> {
    for (let folder = resolve(options.directory); ; folder = dirname(folder)) {
      const found = await installedIn(join(folder, 'node_modules', packageName));
      if (found) return new ConformanceSuite(`"${process.execPath}" "${found.entry}"`, found.version, options);
      if (dirname(folder) === folder) break;
    }
    if (options.source === 'npx') return new ConformanceSuite(`npx --yes ${packageName}`, null, options);
    return `${packageName} is not installed; install it, or let npx fetch it with --allow-npx`;
  }

  /** Whether scenarios speak the version that is named, and not always the same. */
  get speaksVersions(): boolean {
    return this.version === null || !/^0\.[01]\./.test(this.version);
  }

  /** The scenarios of the suite; a text says why it does not start. */
  async list(): Promise<readonly ListedScenario[] | string> {
    const { stdout, error } = await this.run(['list']);
    const scenarios = scenariosIn(stdout);
    return scenarios.length > 0 ? scenarios : error;
  }

  async run(args: readonly string[]): Promise<{ readonly stdout: string; readonly error: string }> {
    const { directory, env, timeoutMs, signal } = this.#options;
    const deadline = AbortSignal.timeout(timeoutMs * 2);
    const end = await runProcess(`${this.#command} ${args.map(shellQuoted).join(' ')}`, {
      cwd: directory,
      env: withMissingExports(env),
      tag: `conformance-${process.pid}`,
      stdin: '',
      stdoutLimitBytes: outputLimitBytes,
      signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
    });
    return { stdout: end.stdout.text, error: end.wasStopped ? 'it timed out.' : lastError(end.stderr.text) };
  }
}

async function installedIn(folder: string): Promise<{ entry: string; version: string | null } | undefined> {
  try {
    const manifest: unknown = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
    if (!isRecord(manifest)) return undefined;
    const [first] = isRecord(manifest.bin) ? Object.values(manifest.bin) : [manifest.bin];
    if (typeof first !== 'string') return undefined;
    const entry = join(folder, first);
    await access(entry);
    return { entry, version: typeof manifest.version === 'string' ? manifest.version : null };
  } catch {
    return undefined;
  }
}

const shim =
  "export * from 'node:fs'; export { default } from 'node:fs'; export const globSync = () => { throw new Error('fs.globSync needs Node.js 22 or newer'); };";
const hooks = `const shim = ${JSON.stringify(moduleUrl(shim))};
export async function resolve(specifier, context, next) {
  const isSuite = context.parentURL?.includes('/conformance/');
  return isSuite && specifier === 'fs' ? { url: shim, shortCircuit: true, format: 'module' } : next(specifier, context);
}`;
const registration = `import { register } from 'node:module'; register(${JSON.stringify(moduleUrl(hooks))});`;

/**
 * The suite imports an export of `fs` that Node.js has from version 22 on, for a command that is not used here: in an
 * older Node.js it would not even start.
 */
function withMissingExports(env: Env): Env {
  if ('globSync' in fs) return env;
  return { ...env, NODE_OPTIONS: `${env.NODE_OPTIONS ?? ''} --import=${moduleUrl(registration)}`.trim() };
}

function moduleUrl(code: string): string {
  return `data:text/javascript,${encodeURIComponent(code).replaceAll("'", '%27')}`;
}

const headings: readonly (readonly [RegExp, ListedScenario['kind'] | undefined])[] = [
  [/^server scenarios/i, 'server'],
  [/^authorization server scenarios/i, 'authorization'],
  [/^client scenarios/i, undefined],
];

function scenariosIn(text: string): ListedScenario[] {
  const found: ListedScenario[] = [];
  let kind: ListedScenario['kind'] | undefined;
  for (const line of text.split('\n')) {
    const heading = headings.find(([pattern]) => pattern.test(line.trim()));
    if (heading) [, kind] = heading;
    const [, name, versions = ''] = /^\s+- ([\w./-]+)(?: \[([^\]]*)\])?/.exec(line) ?? [];
    if (name !== undefined && kind !== undefined)
      found.push({ name, kind, versions: versions.split(',').filter((version) => version !== '') });
  }
  return found;
}

/** The line that says what went wrong, rather than the code around it. */
function lastError(stderr: string): string {
  const line = stderr.split('\n').findLast((text) => /^\s*\w*(?:Error|ERR)\b/.test(text));
  return shownMessage(line ?? stderr.slice(-300));
}

function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
