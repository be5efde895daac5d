import { Command, type Option } from 'commander';
import { AssayError } from '../../../domain/errors.ts';
import { reporterNames } from '../../../domain/run-options/reports.ts';
import { suggestion } from '../../../shared/suggest.ts';
import type { CliCommand } from '../command.ts';
import { write } from '../context.ts';
import { families, shownCommands } from './index.ts';

/** Values of an option or argument: a list, the runs of the store, or files where nothing is known. */
type Values = readonly string[] | 'runs' | 'files';

interface Flag {
  readonly flag: string;
  readonly short: string | undefined;
  readonly description: string;
  /** Undefined where it takes none. */
  readonly values: Values | undefined;
}

interface CommandWords {
  readonly name: string;
  readonly summary: string;
  readonly flags: readonly Flag[];
  /** Of its arguments. */
  readonly values: Values;
}

/** `assay completion`: what to put into a shell's start-up file to have commands, flags and values completed. */
export const completion: CliCommand = {
  configure(command) {
    command
      .argument('<shell>', 'bash, zsh or fish')
      .addHelpText(
        'after',
        '\nExamples:\n  source <(assay completion bash)\n  assay completion zsh > "${fpath[1]}/_assay"\n  assay completion fish > ~/.config/fish/completions/assay.fish\n',
      );
  },
  async run({ args, context }) {
    const shell = args[0] ?? '';
    const render = shells[shell];
    if (!render)
      throw new AssayError('USAGE', `No completion for "${shell}".`, { hint: suggestion(shell, Object.keys(shells)) });
    await write(context.stdout, render(await commandWords()));
    return 0;
  },
};

/** Lists of words that are no `choices` of an option, because they are too heavy to load for flags or can be combined. */
async function listedValues(): Promise<Readonly<Record<string, readonly string[]>>> {
  const { starters } = await import('../../../compose/starters/index.ts');
  const { fileSchemaNames } = await import('../../../compose/config/file-schemas.ts');
  const { agentKinds } = await import('../../../drive/agents/index.ts');
  const { importFormats } = await import('../../../load/imports/formats/index.ts');
  const { documentFormats } = await import('../../../report/reporters/documents.ts');
  const formats = ['auto', ...importFormats.map(({ name }) => name)];
  return {
    '--reporter': reporterNames,
    '--agent': agentKinds.map(({ name }) => name),
    'init --kind': starters.map(({ kind }) => kind),
    'report --format': reporterNames,
    'compare --format': [...Object.keys(documentFormats), 'html'],
    'import --format': formats,
    'evaluate --format': formats,
    'promote --format': formats,
    schema: fileSchemaNames,
    completion: Object.keys(shells),
    baseline: ['set', 'check'],
    store: ['copy', 'check'],
  };
}

async function commandWords(): Promise<CommandWords[]> {
  const words: CommandWords[] = [];
  const listed = await listedValues();
  for (const { name, aliases, summary, load } of shownCommands) {
    const parser = new Command(name);
    (await load()).configure(parser);
    const flags = [
      ...parser.options.map((option) => flagOf(option, name, listed)),
      { flag: '--help', short: '-h', description: 'show help', values: undefined },
    ];
    const [first] = parser.registeredArguments;
    const values = listed[name] ?? first?.argChoices ?? (namesRuns(first?.description) ? 'runs' : 'files');
    const spellings = [name, ...aliases].filter((spelling) => !spelling.includes(' '));
    for (const spelling of spellings) words.push({ name: spelling, summary, flags, values });
  }
  return [...words.filter(({ name }) => !Object.hasOwn(families, name)), ...familyWords(words)];
}

/** A family with the names and the flags of its commands. */
function familyWords(words: readonly CommandWords[]): CommandWords[] {
  return Object.entries(families).map(([family, summary]) => {
    const members = shownCommands.filter(({ name }) => name.startsWith(`${family} `));
    const spellings = new Set([family, ...members.flatMap(({ aliases }) => aliases)]);
    const flags = words.filter(({ name }) => spellings.has(name)).flatMap((word) => word.flags);
    const unique = [...new Map(flags.map((flag) => [flag.flag, flag])).values()];
    const own = words.find(({ name }) => name === family)?.values;
    const names = members.map(({ name }) => name.slice(family.length + 1));
    return { name: family, summary, flags: unique, values: Array.isArray(own) ? [...names, ...own] : names };
  });
}

function flagOf(option: Option, command: string, listed: Readonly<Record<string, readonly string[]>>): Flag {
  const flag = option.long ?? option.flags;
  const { short, description, argChoices } = option;
  const found = argChoices ?? listed[`${command} ${flag}`] ?? listed[flag];
  const values = found ?? (namesRuns(description) || /<run>/.test(option.flags) ? 'runs' : 'files');
  return { flag, short, description, values: option.required || option.optional ? values : undefined };
}

/** Options and arguments that take a run say so by its name for the newest. */
function namesRuns(description = ''): boolean {
  return description.includes('`latest');
}

/** Prints the newest runs of the store of the current folder, one in a line. */
const listRuns = `printf '%s\\n' latest latest~1 latest~2; assay runs --limit 20 --json 2>/dev/null | sed -n 's/.*"runId": "\\([^"]*\\)".*/\\1/p'`;

const shells: Readonly<Record<string, (words: readonly CommandWords[]) => string>> = {
  bash: (words) => `# bash completion for assay
_assay_runs() { ${listRuns}; }
_assay() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" flags="" values="files"
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${words.map(({ name }) => name).join(' ')} --help --version" -- "$current"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${words.map(({ name, flags, values }) => `    ${name}) flags="${flags.map(({ flag }) => flag).join(' ')}" values="${valuesText(values)}" ;;`).join('\n')}
  esac
  case "\${COMP_WORDS[1]} $previous" in
${words.flatMap(({ name, flags }) => bashValues(name, flags)).join('\n')}
    *) if [[ "$current" == -* ]]; then COMPREPLY=($(compgen -W "$flags" -- "$current")); return; fi ;;
  esac
  case "$values" in
    files) COMPREPLY=($(compgen -f -- "$current")) ;;
    runs) COMPREPLY=($(compgen -W "$(_assay_runs)" -- "$current")) ;;
    *) COMPREPLY=($(compgen -P "\${current%"\${current##*,}"}" -W "$values" -- "\${current##*,}")) ;;
  esac
}
complete -o filenames -F _assay assay
`,
  zsh: (words) => `#compdef assay
_assay_runs() { local -a runs; runs=(\${(f)"$(${listRuns})"}); compadd -a runs; }
_assay() {
  local -a commands
  commands=(
${words.map(({ name, summary }) => `    ${quote(`${name}:${summary}`)}`).join('\n')}
  )
  if (( CURRENT == 2 )); then _describe command commands; return; fi
  local command="$words[2]"
  shift words; (( CURRENT-- ))
  case "$command" in
${words.map(({ name, flags, values }) => `    ${name}) _arguments ${flags.map(zshFlag).join(' ')} ${quote(`*:value:${zshAction(values)}`)} ;;`).join('\n')}
  esac
}
if [ "$funcstack[1]" = "_assay" ]; then _assay "$@"; else compdef _assay assay; fi
`,
  fish: (words) => `function __assay_runs
  ${listRuns}
end
${words
  .map(({ name, summary, flags, values }) =>
    [
      `complete -c assay -n __fish_use_subcommand -a ${name} -d ${quote(summary)}`,
      ...(values === 'files'
        ? []
        : [`complete -c assay -n "__fish_seen_subcommand_from ${name}" -f -a ${fishList(values)}`]),
      ...flags.map(
        ({ flag, description, values: ofFlag }) =>
          `complete -c assay -n "__fish_seen_subcommand_from ${name}" -l ${flag.replace(/^--/, '')}${fishValues(ofFlag)} -d ${quote(description)}`,
      ),
    ].join('\n'),
  )
  .join('\n')}
`,
};

function valuesText(values: Values): string {
  return typeof values === 'string' ? values : values.join(' ');
}

function bashValues(command: string, flags: readonly Flag[]): string[] {
  return flags.flatMap(({ flag, short, values }) => {
    if (values === undefined) return [];
    const spelt = [flag, ...(short === undefined ? [] : [short])].map((each) => `"${command} ${each}"`);
    return [`    ${spelt.join('|')}) values="${valuesText(values)}" ;;`];
  });
}

function zshFlag({ flag, description, values }: Flag): string {
  const text = `${flag}[${description.replace(/[[\]:]/g, ' ')}]`;
  return quote(values === undefined ? text : `${text}:value:${zshAction(values)}`);
}

function zshAction(values: Values): string {
  if (values === 'files') return '_files';
  return values === 'runs' ? '_assay_runs' : `(${values.join(' ')})`;
}

function fishList(values: Values): string {
  return values === 'runs' ? "'(__assay_runs)'" : quote(valuesText(values));
}

function fishValues(values: Values | undefined): string {
  if (values === undefined) return '';
  return values === 'files' ? ' -r' : ` -x -a ${fishList(values)}`;
}

/** For a shell's single quotes. */
function quote(text: string): string {
  return `'${text.replaceAll("'", '’')}'`;
}
