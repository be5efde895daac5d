import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readdirSync, readFileSync, realpathSync, type Stats, statSync } from 'node:fs';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { AssayError } from '../../../domain/errors.ts';
import type { Trial } from '../../../domain/trial.ts';
import { simpleCommands, wordsOf } from '../../../shared/shell-words.ts';
import { isInside } from '../../workspace/room-base.ts';
import type { AgentRun } from './agent-run.ts';
import { executedIn } from './executed-words.ts';
import { type GitProgram, gitPrograms } from './git-programs.ts';
import type { TaskConfig } from './task-config.ts';

/** A larger file is compared by size, time and place alone. */
const largestHashedBytes = 64 * 1_048_576;
const mostFilesInFolder = 5_000;

/** Commands that judge the work: those of gates, evaluator scripts and post scripts. */
function gradingCommands({ case: testCase }: Trial, { postScripts }: Pick<TaskConfig, 'postScripts'>): string[] {
  const ofEvaluators = testCase.evaluators.flatMap(({ config }) => {
    const { command } = (config ?? {}) as { readonly command?: unknown };
    return typeof command === 'string' ? [command] : [];
  });
  return [...postScripts.map(({ command }) => command), ...ofEvaluators];
}

/** Whether a command judges that does not say that it runs code of the agent. */
function hasGraderApart({ case: testCase }: Trial, { postScripts }: Pick<TaskConfig, 'postScripts'>): boolean {
  const isApart = ({ command, runs }: { readonly command?: unknown; readonly runs?: unknown }): boolean =>
    typeof command === 'string' && runs !== 'work';
  return postScripts.length > 0 || testCase.evaluators.some(({ config }) => isApart(config ?? {}));
}

type Variables = Readonly<Record<string, string>>;

/** Every file that a grading command names by a path. */
export function namedFiles(
  trial: Trial,
  config: Pick<TaskConfig, 'postScripts'>,
  directory: string,
  env: Variables,
): string[] {
  return gradingCommands(trial, config)
    .flatMap((command) => wordsOf(command, existsSync))
    .flatMap((word) => fileNamed(expanded(word, env), directory));
}

/** Evaluators whose commands run in the folder of the scenario. */
const gradersBesideScenario: ReadonlySet<string> = new Set(['command', 'command-metric']);

function graderFiles(trial: Trial, env: Variables): string[] {
  const evaluators = trial.case.evaluators.filter(({ type }) => gradersBesideScenario.has(type));
  const graded = { ...trial, case: { ...trial.case, evaluators } };
  return namedFiles(graded, { postScripts: [] }, trial.scenario.directory, env);
}

/** The files that grading commands run: their programs, and the scripts that they give to interpreters. */
function executedFiles(commands: readonly string[], directory: string, env: Variables): string[] {
  return commands
    .flatMap((command) => simpleCommands(command, existsSync))
    .map((words) => executedIn(words.map((word) => expanded(word, env))))
    .flatMap(({ programs, scripts }) => [...programs, ...scripts])
    .flatMap((word) => fileNamed(word, directory));
}

function expanded(word: string, env: Variables): string {
  return word.replace(/\$(?:(\w+)|\{(\w+)\})/g, (whole, bare, braced) => env[bare ?? braced] ?? whole);
}

/** Files that the kernel makes at each reading: they change without an agent. */
const ofKernel = ['/proc', '/sys', '/dev'];

function fileNamed(word: string, directory: string): string[] {
  if (!word.includes('/') && !word.includes('.')) return [];
  const path = isAbsolute(word) ? word : resolve(directory, word);
  if (ofKernel.some((folder) => isInside(path, folder))) return [];
  return statSync(path, { throwIfNoEntry: false })?.isFile() ? [path] : [];
}

const gitHint = 'Read in the trace what the agent did. If the task is to set it, add `runs: work` to the gates.';

/** One file as it was. */
interface Fingerprint {
  readonly realPath: string;
  readonly identity: string;
  /** Undefined for a file that is too large. */
  readonly sha256: string | undefined;
}

/** The files that judge the work of one trial, which the agent must not change. */
export class Graders {
  readonly #paths: readonly string[];
  readonly #directory: string;
  readonly #cache: Map<string, string>;
  readonly #watchesGit: boolean;
  #remembered = new Map<string, Fingerprint | undefined>();
  #gitSettings: ReadonlySet<string> = new Set();

  /** Of a trial that is set up and whose agent has not started; hashes are shared between the trials of a run. */
  static of({ trial, config, workspace, env, program, furtherPrograms, room, work }: AgentRun): Graders {
    const { directory } = workspace;
    const programs = program === undefined ? [] : [program, ...furtherPrograms];
    const outside = [...namedFiles(trial, config, directory, env.after), ...graderFiles(trial, env.after), ...programs];
    const inside = config.graders
      ? config.graders.flatMap((path) => declaredFiles(path, directory))
      : [...executedFiles(gradingCommands(trial, config), directory, env.after), ...programs];
    const paths = [
      ...outside.filter((path) => !isInside(path, room.folder)),
      ...inside.filter((path) => isInside(path, directory)),
    ];
    return new Graders([...new Set(paths)], directory, work.fileHashes, hasGraderApart(trial, config));
  }

  private constructor(paths: readonly string[], directory: string, cache: Map<string, string>, watchesGit: boolean) {
    this.#paths = paths;
    this.#directory = directory;
    this.#cache = cache;
    this.#watchesGit = watchesGit;
    this.remember();
  }

  /** Takes the files as they are now for right. */
  remember(): void {
    this.#remembered = new Map(this.#paths.map((path) => [path, this.#fingerprint(path)]));
    this.#gitSettings = new Set(this.#gitPrograms().map(({ file, setting }) => `${file} ${setting}`));
  }

  #gitPrograms(): GitProgram[] {
    return this.#watchesGit ? gitPrograms(this.#directory) : [];
  }

  /** The error of a trial whose agent changed a file that judges it; undefined where all are as they were. */
  changed(): AssayError | undefined {
    // Gates would look at another folder.
    if (lstatSync(this.#directory, { throwIfNoEntry: false })?.isSymbolicLink()) {
      return new AssayError('GRADER_CHANGED', 'The agent put a link in the place of its work directory.');
    }
    const path = this.#paths.find((candidate) => !this.#isUnchanged(candidate));
    if (path === undefined) return this.#changedGit();
    const name = isInside(path, this.#directory) ? relative(this.#directory, path) : path;
    const how = existsSync(path) ? 'changed' : 'removed';
    return new AssayError('GRADER_CHANGED', `The agent ${how} ${name}, which judges its work.`);
  }

  #changedGit(): AssayError | undefined {
    const added = this.#gitPrograms().find(({ file, setting }) => !this.#gitSettings.has(`${file} ${setting}`));
    if (added === undefined) return undefined;
    const { file, setting } = added;
    const [name] = setting.split('=', 1);
    const message = setting.includes('=')
      ? `The agent set \`${name}\` in ${file}, by which Git may run a program while the work is judged.`
      : `The agent left ${file || 'its work directory'} ${setting}, where settings may let Git run a program.`;
    return new AssayError('GRADER_CHANGED', message, { hint: gitHint });
  }

  #isUnchanged(path: string): boolean {
    const before = this.#remembered.get(path);
    const now = this.#fingerprint(path, before);
    if (before === undefined || now === undefined) return before === now;
    if (before.realPath !== now.realPath) return false;
    return before.identity === now.identity || (before.sha256 !== undefined && before.sha256 === now.sha256);
  }

  /** A file whose identity is known is not read again. */
  #fingerprint(path: string, known?: Fingerprint): Fingerprint | undefined {
    try {
      const realPath = realpathSync(path);
      const stats = statSync(realPath);
      if (!stats.isFile()) return undefined;
      const identity = identityOf(stats);
      if (known?.identity === identity) return { ...known, realPath };
      return { realPath, identity, sha256: this.#hash(realPath, identity, stats.size) };
    } catch {
      return undefined;
    }
  }

  #hash(path: string, identity: string, bytes: number): string | undefined {
    if (bytes > largestHashedBytes) return undefined;
    const key = `${path} ${identity}`;
    const sha256 = this.#cache.get(key) ?? createHash('sha256').update(readFileSync(path)).digest('hex');
    this.#cache.set(key, sha256);
    return sha256;
  }
}

/** The time of the last change cannot be set by a program, unlike that of the last modification. */
function identityOf({ dev, ino, size, mode, ctimeMs, mtimeMs }: Stats): string {
  return [dev, ino, size, mode, ctimeMs, mtimeMs].join(' ');
}

/** The file, or all files in the folder, that a scenario lists under `graders`. */
function declaredFiles(named: string, directory: string): string[] {
  const path = resolve(directory, named);
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined || !isInside(path, directory)) {
    throw new AssayError(
      'FILE_NOT_FOUND',
      `\`evaluation.graders\` lists ${named}, which is not in the work directory.`,
      {
        hint: 'Correct the path; it is relative to the work directory.',
      },
    );
  }
  if (!stats.isDirectory()) return [path];
  const files: string[] = [];
  for (const entry of readdirSync(path, { withFileTypes: true, recursive: true })) {
    if (!entry.isDirectory()) files.push(join(entry.parentPath, entry.name));
    if (files.length >= mostFilesInFolder) break;
  }
  return files;
}
