import { AssayError } from '../../../../domain/errors.ts';
import { didYouMean } from '../../../../shared/suggest.ts';
import type { CliCommand, Invocation } from '../../command.ts';
import { write } from '../../context.ts';
import { textOption } from '../../options/values.ts';
import type { Entity, EntityKind } from './entities.ts';
import type { ValueFlags } from './values.ts';

const verbs = ['list', 'show', 'create', 'update', 'delete'];

interface ProjectFlags extends ValueFlags {
  readonly file?: string;
  readonly json?: boolean;
}

/** One verb on one kind of entity. */
async function projectAction({ args, options: given, context }: Invocation): Promise<number> {
  const [verb = '', kind = '', name] = args;
  const options = given as ProjectFlags;
  if (!verbs.includes(verb)) {
    const hint = didYouMean(verb, verbs) ?? 'See `assay project --help`.';
    throw new AssayError('USAGE', `Unknown action "${verb}".`, { hint });
  }
  const { openKind } = await import('./entities.ts');
  const entities = await openKind(kind, context);
  const print = (value: unknown, text: string) =>
    write(context.stdout, options.json ? `${JSON.stringify(value, null, 2)}\n` : text);
  if (verb === 'list') {
    const items = (await entities.list()).map(({ name: each, file }) => ({ name: each, file }));
    await print(items, items.map((item) => `  ${item.name}  (${item.file})\n`).join('') || 'There are none.\n');
    return 0;
  }
  if (name === undefined)
    throw new AssayError('USAGE', 'The name is missing.', { hint: 'See `assay project --help`.' });
  if (verb === 'show') {
    const found = await existing(entities, kind, name);
    const { stringify } = await import('yaml');
    await print(found, `# ${found.file}\n${stringify(found.value)}`);
    return 0;
  }
  await changeEntity(verb, { entities, kind, name }, options, context);
  const past = { create: 'Created', update: 'Updated', delete: 'Deleted' }[verb];
  await print({ kind, name }, `${past} the ${kind} "${name}".\n`);
  return 0;
}

async function changeEntity(
  verb: string,
  { entities, kind, name }: { readonly entities: EntityKind; readonly kind: string; readonly name: string },
  options: ProjectFlags,
  context: Invocation['context'],
): Promise<void> {
  const { changedBy } = await import('./values.ts');
  if (verb === 'create') return entities.create(name, await changedBy(options, {}, context), options.file);
  const { value } = await existing(entities, kind, name);
  if (verb === 'delete') return entities.delete(name);
  return entities.update(name, await changedBy(options, value, context));
}

async function existing(entities: EntityKind, kind: string, name: string): Promise<Entity> {
  const found = await entities.find(name);
  if (found) return found;
  const names = (await entities.list()).map((each) => each.name);
  throw new AssayError('NOT_FOUND', `There is no ${kind} "${name}".`, {
    hint: didYouMean(name, names) ?? `See \`assay project list ${kind}\`.`,
  });
}

function collected(text: string, before: readonly string[] = []): string[] {
  return [...before, text];
}

/** `assay project`: the entities of a project, without an editor. */
export const project: CliCommand = {
  configure(command) {
    command
      .argument('<list|show|create|update|delete>', 'what to do')
      .argument('<scenario|persona|connector|eval>', 'kind of entity')
      .argument('[name]', 'its name')
      .option('--set <key=value>', 'set a key; dots lead inwards, values are YAML; repeat it', collected)
      .option('--unset <key>', 'remove a key; repeat it', collected)
      .option('--from <file>', 'take the whole value from a YAML or JSON file, `-` for stdin', textOption)
      .option('--file <path>', 'create scenario: the file to write', textOption)
      .option('--json', 'print one JSON document')
      .addHelpText(
        'after',
        '\nFiles keep their comments and the order of their keys. A change that a file would not load with, or that\nwould break a scenario, is refused with its problems.\n\nExamples:\n  assay project create persona ann --set description="A hurried user"\n  assay project create connector shop --set type=http --set baseUrl=http://127.0.0.1:8000\n  assay project update scenario refund --set maxMessages=6 --unset tags\n  assay project create eval smoke --set scenarios="[refund]" --set connector=shop\n  assay project delete persona ann\n',
      );
  },
  async run(invocation) {
    return projectAction(invocation);
  },
};
