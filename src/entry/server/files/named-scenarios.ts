import { AssayError } from '../../../domain/errors.ts';
import { type Problem, ProblemsError } from '../../../domain/problem.ts';
import { parseSource } from '../../../load/sources/source-file.ts';
import { type Path, valueAt } from '../../../shared/document-edit/document-change.ts';
import { isRecord } from '../../../shared/json.ts';
import { suggestion } from '../../../shared/suggest.ts';
import type { FileCheck, NamedScenario, WriteNamedScenario } from '../api/project.ts';
import type { ScenarioCatalog } from '../catalog/scenarios.ts';
import { editValue } from './edit-part.ts';
import { unmaskValue } from './masks.ts';
import { assertName } from './named-parts.ts';
import type { ProjectFiles, Written } from './project-files.ts';

interface ScenariosContext {
  readonly catalog: ScenarioCatalog;
  readonly files: ProjectFiles;
  /** Files and folders of scenarios, as the config has them. */
  scenarioPaths(): Promise<readonly string[]>;
  /** Evals that would have no such scenario any more. */
  evalsWith(name: string): Promise<readonly string[]>;
}

/** Scenarios by their names, whichever file they are in. Comments and the order of keys are kept. */
export class NamedScenarios {
  readonly #context: ScenariosContext;

  constructor(context: ScenariosContext) {
    this.#context = context;
  }

  async read(name: string): Promise<NamedScenario> {
    const { file, isAlone } = await this.#find(name);
    const { text, revision, isEditable, whyNot } = await this.#context.files.read(file);
    const path = isEditable ? await pathIn(file, text, name, isAlone) : undefined;
    const value = path && valueAt((await parseSource(file, text)).value, path);
    return {
      name,
      file,
      revision,
      isEditable: path !== undefined,
      whyNot: whyNot ?? (path ? null : oneOfSeveral),
      value: isRecord(value) ? value : {},
    };
  }

  /** Writes a scenario; without a revision it must be a new one. */
  async write(name: string, { value, revision, file }: WriteNamedScenario): Promise<Written<NamedScenario>> {
    assertName(name);
    const written =
      revision === null ? await this.#create(name, value, file) : await this.#update(name, value, revision);
    if (!('done' in written)) return written;
    return { done: await this.read(typeof value.name === 'string' ? value.name : name) };
  }

  async delete(name: string, revision: string | null): Promise<Written<null>> {
    const { file, isAlone } = await this.#find(name);
    const [used] = await this.#context.evalsWith(name);
    if (used !== undefined) {
      const hint = 'Change or delete the eval first.';
      throw new AssayError('USAGE', `The eval "${used}" has the scenario "${name}".`, { hint });
    }
    if (isAlone) return this.#context.files.delete(file, revision);
    const edited = await this.#edit(file, revision, async (current) => {
      const path = await editablePath(file, current, name, isAlone);
      return editValue(file, current, path, undefined);
    });
    return 'done' in edited ? { done: null } : edited;
  }

  async #create(name: string, value: Record<string, unknown>, named: string | undefined): Promise<Written<unknown>> {
    const { name: ownName = name, ...rest } = value;
    if (ownName !== name) throw new AssayError('USAGE', `The value has another name: "${String(ownName)}".`);
    const { items } = await this.#context.catalog.list();
    const other = items.find((item) => item.name === name);
    if (other) throw new AssayError('USAGE', `There is already a scenario "${name}" in ${other.file}.`);
    const file = await this.#newFile(name, named);
    return this.#edit(file, null, (current) => editValue(file, current, [], { name, ...rest }));
  }

  async #update(name: string, value: Record<string, unknown>, revision: string): Promise<Written<unknown>> {
    const { file, isAlone } = await this.#find(name);
    return this.#edit(file, revision, async (current) => {
      const path = await editablePath(file, current, name, isAlone);
      const before = valueAt((await parseSource(file, current)).value, path);
      const { value: whole, unknown } = unmaskValue(value, before);
      if (unknown.length > 0)
        throw new AssayError('USAGE', 'A mask in the value stands for no secret.', { hint: 'Write ${NAME} instead.' });
      return editValue(file, current, path, whole);
    });
  }

  /** Nothing is written that could not be run. */
  #edit(file: string, revision: string | null, make: (current: string) => Promise<string>): Promise<Written<unknown>> {
    return this.#context.files.edit(file, { kind: 'scenario', revision }, async (current = '') => {
      const text = await make(current);
      assertRunnable(file, await this.#context.files.check({ path: file, kind: 'scenario', text }));
      return text;
    });
  }

  async #find(name: string): Promise<{ readonly file: string; readonly isAlone: boolean }> {
    const { items } = await this.#context.catalog.list();
    const found = items.find((item) => item.name === name);
    if (!found) {
      const names = items.map((item) => item.name);
      const hint = names.length === 0 ? 'Create one first.' : suggestion(name, names);
      throw new AssayError('NOT_FOUND', `There is no scenario "${name}".`, { hint });
    }
    return { file: found.file, isAlone: items.filter(({ file }) => file === found.file).length === 1 };
  }

  async #newFile(name: string, named: string | undefined): Promise<string> {
    const paths = await this.#context.scenarioPaths();
    const file = named ?? newScenarioFile(name, paths);
    assertAmongScenarios(file, paths);
    return file;
  }
}

function withoutDots(path: string): string {
  return path.replace(/^\.\/+|\/+$/g, '');
}

/** Where a new file goes, named after its subject. */
export function newScenarioFile(subject: string, scenarioPaths: readonly string[]): string {
  const folder = scenarioPaths.map(withoutDots).find((path) => !/\.\w+$/.test(path)) ?? '.';
  const stem =
    subject
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, '-')
      .replace(/^-|-$/g, '') || 'scenario';
  return folder === '.' ? `${stem}.yaml` : `${folder}/${stem}.yaml`;
}

/** Refuses a file that the config does not find among the scenarios. */
export function assertAmongScenarios(file: string, scenarioPaths: readonly string[]): void {
  const paths = scenarioPaths.map(withoutDots);
  if (paths.some((path) => path === '.' || path === file || file.startsWith(`${path}/`))) return;
  throw new AssayError('USAGE', `"${file}" is outside of the scenarios of the config: ${paths.join(', ')}.`, {
    hint: 'Name a file below one of them.',
  });
}

const oneOfSeveral = 'its file has several scenarios; edit the file';

/** Where a scenario stands in its file; undefined where the file makes several of one document. */
async function pathIn(file: string, text: string, name: string, isAlone: boolean): Promise<Path | undefined> {
  const { value } = await parseSource(file, text);
  if (!Array.isArray(value)) return isAlone ? [] : undefined;
  const index = value.findIndex((item) => isRecord(item) && item.name === name);
  return index < 0 ? undefined : [index];
}

async function editablePath(file: string, text: string, name: string, isAlone: boolean): Promise<Path> {
  const path = await pathIn(file, text, name, isAlone);
  if (path) return path;
  throw new AssayError('USAGE', `"${name}" cannot be changed from here: ${oneOfSeveral}.`);
}

/** Refuses a text that could not be run. */
export function assertRunnable(file: string, { problems, scenarios }: FileCheck): void {
  const errors = problems.filter(({ severity }) => severity === 'error');
  const found: Problem[] = errors.map(({ line, column, message, hint }) => ({
    at: { file, line, column },
    message,
    hint,
  }));
  if (found.length === 0 && scenarios.length === 0)
    found.push({ at: { file, line: 1, column: 1 }, message: 'this is not a scenario' });
  if (found.length > 0) throw new ProblemsError(found);
}
