import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { dirname, relative, resolve, sep } from 'node:path';
import type { RunHeader, RunScenario } from '../../domain/run.ts';
import type { Scenario } from '../../domain/scenario.ts';
import { isRecord } from '../../shared/json.ts';

const largestFile = 20_000_000;
const mostFiles = 200;
const mostTexts = 2_000;
const isModule = /\.[cm]?[jt]sx?$/;
/** Files of data are none: the tool itself may write to them. */
const isScript = /\.(?:[cm]?[jt]sx?|sh|bash|zsh|py|rb|pl|php|lua|ps1|bat|cmd|jar|wasm)$/i;
const executable = 0o111;
const importedPath = /(?:from|import|require)\s*\(?\s*['"](\.{1,2}\/[^'"\n]+)['"]/g;
const otherEndings = ['.ts', '.js', '.mjs', '.cjs', '/index.ts', '/index.js'];

/** Hashes by path, relative to the project. */
type Hashes = NonNullable<RunScenario['calledFiles']>;

/**
 * Hashes of the project's files that scenarios call: modules with what they import, programs and servers. They show
 * whether a run that is resumed would go on with another tool.
 */
export class CalledFiles {
  readonly #folder: string;
  readonly #hashes = new Map<string, string>();
  readonly #imports = new Map<string, readonly string[]>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  async of({ target, directory }: Pick<Scenario, 'target' | 'directory'>): Promise<Hashes | undefined> {
    const found = new Map<string, string>();
    for (const word of wordsIn(target.config)) await this.#add(resolve(directory, word), found);
    return found.size === 0 ? undefined : Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  async #add(file: string, found: Map<string, string>): Promise<void> {
    const path = relative(this.#folder, file).split(sep).join('/');
    if (path.startsWith('..') || path.includes('node_modules/') || found.has(path) || found.size >= mostFiles) return;
    const hash = this.#hashes.get(file) ?? (await this.#read(file));
    if (hash === undefined) return;
    found.set(path, hash);
    for (const imported of this.#imports.get(file) ?? [])
      await this.#addImported(resolve(dirname(file), imported), found);
  }

  async #addImported(file: string, found: Map<string, string>): Promise<void> {
    const asTypeScript = file.replace(/js$/, 'ts');
    const candidates = [file, asTypeScript, ...otherEndings.map((ending) => file + ending)];
    for (const candidate of candidates) {
      if (!(await isCode(candidate))) continue;
      await this.#add(candidate, found);
      return;
    }
  }

  async #read(file: string): Promise<string | undefined> {
    if (!(await isCode(file))) return undefined;
    const bytes = await readFile(file).catch(() => undefined);
    if (!bytes) return undefined;
    const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 16);
    this.#hashes.set(file, hash);
    if (isModule.test(file)) {
      this.#imports.set(
        file,
        [...bytes.toString('utf8').matchAll(importedPath)].map(([, path = '']) => path),
      );
    }
    return hash;
  }
}

async function isCode(file: string): Promise<boolean> {
  const found = await stat(file).catch(() => undefined);
  if (!found?.isFile() || found.size > largestFile) return false;
  return isScript.test(file) || (found.mode & executable) !== 0;
}

/** Words that may name a file, of all texts in a config. */
function wordsIn(config: unknown): ReadonlySet<string> {
  const words = new Set<string>();
  const waiting: unknown[] = [config];
  for (let looked = 0; waiting.length > 0 && looked < mostTexts; looked++) {
    const value = waiting.pop();
    if (typeof value === 'string') {
      for (const word of value.split(/[\s'"`=;|&<>()]+/)) if (/[./]/.test(word) && word.length < 300) words.add(word);
    } else if (Array.isArray(value)) waiting.push(...value);
    else if (isRecord(value)) waiting.push(...Object.values(value));
  }
  return words;
}

/** The scenarios with the files that they call. */
export async function withCalledFiles(
  described: readonly RunScenario[],
  scenarios: readonly Scenario[],
  folder: string,
): Promise<RunScenario[]> {
  const files = new CalledFiles(folder);
  const complete: RunScenario[] = [];
  for (const [index, scenario] of scenarios.entries()) {
    const then = described[index];
    const calledFiles = await files.of(scenario);
    if (then) complete.push({ ...then, ...(calledFiles && { calledFiles }) });
  }
  return complete;
}

/** Sentences about files that are not as they were when the run began; a run of an earlier version knows of none. */
export async function changedFiles(
  run: Pick<RunHeader, 'scenarios'>,
  scenarios: readonly Scenario[],
  folder: string,
): Promise<readonly string[]> {
  const files = new CalledFiles(folder);
  const now = new Map<string, string>();
  for (const scenario of scenarios) {
    for (const [path, hash] of Object.entries((await files.of(scenario)) ?? {})) now.set(path, hash);
  }
  const then = new Map(run.scenarios.flatMap(({ calledFiles }) => Object.entries(calledFiles ?? {})));
  return [...then].flatMap(([path, hash]) => (now.get(path) === hash ? [] : [`${path} was changed`]));
}
