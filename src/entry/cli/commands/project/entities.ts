import { openProject } from '../../../../compose/config/project.ts';
import { AssayError } from '../../../../domain/errors.ts';
import { isRecord } from '../../../../shared/json.ts';
import { suggestion } from '../../../../shared/suggest.ts';
import type { PartSection } from '../../../server/files/named-parts.ts';
import type { Written } from '../../../server/files/project-files.ts';
import { ProjectEditor } from '../../../server/project-cache.ts';
import type { CliContext } from '../../context.ts';

/** One kind of entity: the same verbs for all of them. */
export interface EntityKind {
  list(): Promise<readonly Entity[]>;
  /** Undefined where there is none of that name. */
  find(name: string): Promise<Entity | undefined>;
  /** `file`: for a new one that has its own file. */
  create(name: string, value: Record<string, unknown>, file: string | undefined): Promise<void>;
  update(name: string, value: Record<string, unknown>): Promise<void>;
  delete(name: string): Promise<void>;
}

export interface Entity {
  readonly name: string;
  readonly file: string;
  readonly value: Record<string, unknown>;
}

const sections: Readonly<Record<string, PartSection>> = { persona: 'personas', connector: 'connectors', eval: 'evals' };

/** Names of kinds, singular and plural. */
const kindNames = ['scenario', ...Object.keys(sections)] as const;

/** Opens a kind of entity of the project in the current folder. */
export async function openKind(written: string, { cwd, env }: CliContext): Promise<EntityKind> {
  const kind = written.replace(/s$/, '');
  const { folder } = await openProject(cwd, env);
  // Read again at each use, because the command itself changes it.
  const editor = new ProjectEditor({ folder, env, project: () => openProject(folder, env) });
  if (kind === 'scenario') return scenarioKind(editor);
  const section = Object.hasOwn(sections, kind) ? sections[kind] : undefined;
  if (section) return partKind(editor, section);
  throw new AssayError('USAGE', `There is no kind "${written}".`, { hint: suggestion(kind, kindNames) });
}

function scenarioKind({ scenarios, namedScenarios }: ProjectEditor): EntityKind {
  const find = async (name: string) => {
    const { items } = await scenarios.list();
    return items.some((item) => item.name === name) ? namedScenarios.read(name) : undefined;
  };
  const revisionOf = async (name: string) => (await namedScenarios.read(name)).revision;
  return {
    async list() {
      const { items } = await scenarios.list();
      return items.map(({ name, file }) => ({ name, file, value: {} }));
    },
    find,
    create: async (name, value, file) => done(await namedScenarios.write(name, { value, revision: null, file })),
    update: async (name, value) => done(await namedScenarios.write(name, { value, revision: await revisionOf(name) })),
    delete: async (name) => done(await namedScenarios.delete(name, await revisionOf(name))),
  };
}

function partKind({ parts }: ProjectEditor, section: PartSection): EntityKind {
  const named = parts[section];
  const list = async () => {
    const { items, file } = await named.read();
    return items.map((item) => ({ ...item, file: file ?? '' }));
  };
  const find = async (name: string) => (await list()).find((item) => item.name === name);
  const write = async (name: string, value: Record<string, unknown>) =>
    done(await named.write(name, { value, revision: (await named.read()).revision }));
  return {
    list,
    find,
    async create(name, value, file) {
      if (file !== undefined) throw new AssayError('USAGE', '--file is for scenarios: others are in the config.');
      if (await find(name)) throw new AssayError('USAGE', `There is already a "${name}" among the ${section}.`);
      await write(name, value);
    },
    update: write,
    delete: async (name) => done(await named.delete(name, (await named.read()).revision)),
  };
}

/** A file that another program changed between reading and writing is left alone. */
function done(written: Written<unknown>): void {
  if ('done' in written) return;
  const file = isRecord(written.current) ? String(written.current.path) : 'The file';
  throw new AssayError('USAGE', `${file} is there already, or was changed at the same time.`, {
    hint: 'Try again, or name another file with --file.',
  });
}
