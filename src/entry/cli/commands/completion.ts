import { Command } from 'commander';
import { AssayError } from '../../../domain/errors.ts';
import { suggestion } from '../../../shared/suggest.ts';
import type { CliCommand } from '../command.ts';
import { write } from '../context.ts';
import { shownCommands } from './index.ts';

interface CommandWords {
  readonly name: string;
  readonly summary: string;
  readonly flags: readonly { readonly flag: string; readonly description: string }[];
}

/** `assay completion`: what to put into a shell's start-up file to have commands and flags completed. */
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

async function commandWords(): Promise<CommandWords[]> {
  const words: CommandWords[] = [];
  for (const { name, aliases, summary, load } of shownCommands) {
    const parser = new Command(name);
    (await load()).configure(parser);
    const flags = [
      ...parser.options.map((option) => ({ flag: option.long ?? option.flags, description: option.description })),
      { flag: '--help', description: 'show help' },
    ];
    for (const spelling of [name, ...aliases]) words.push({ name: spelling, summary, flags });
  }
  return words;
}

const shells: Readonly<Record<string, (words: readonly CommandWords[]) => string>> = {
  bash: (words) => `# bash completion for assay
_assay() {
  local current="\${COMP_WORDS[COMP_CWORD]}"
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${words.map(({ name }) => name).join(' ')} --help --version" -- "$current"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${words.map(({ name, flags }) => `    ${name}) local flags="${flags.map(({ flag }) => flag).join(' ')}" ;;`).join('\n')}
    *) local flags="" ;;
  esac
  if [[ "$current" == -* ]]; then COMPREPLY=($(compgen -W "$flags" -- "$current"))
  else COMPREPLY=($(compgen -f -- "$current")); fi
}
complete -o filenames -F _assay assay
`,
  zsh: (words) => `#compdef assay
_assay() {
  local -a commands
  commands=(
${words.map(({ name, summary }) => `    ${quote(`${name}:${summary}`)}`).join('\n')}
  )
  if (( CURRENT == 2 )); then _describe command commands; return; fi
  case "$words[2]" in
${words.map(({ name, flags }) => `    ${name}) _arguments ${flags.map(({ flag, description }) => quote(`${flag}[${description.replace(/[[\]:]/g, ' ')}]`)).join(' ')} '*:file:_files' ;;`).join('\n')}
  esac
}
if [ "$funcstack[1]" = "_assay" ]; then _assay "$@"; else compdef _assay assay; fi
`,
  fish: (words) =>
    words
      .map(({ name, summary, flags }) =>
        [
          `complete -c assay -n __fish_use_subcommand -a ${name} -d ${quote(summary)}`,
          ...flags.map(
            ({ flag, description }) =>
              `complete -c assay -n "__fish_seen_subcommand_from ${name}" -l ${flag.replace(/^--/, '')} -d ${quote(description)}`,
          ),
        ].join('\n'),
      )
      .join('\n')
      .concat('\n'),
};

/** For a shell's single quotes. */
function quote(text: string): string {
  return `'${text.replaceAll("'", '’')}'`;
}
