import type { Command } from 'commander';
import { parserOf } from '../../src/entry/cli/command.ts';
import { shownCommands } from '../../src/entry/cli/commands/index.ts';
import { exitCodes } from '../../src/entry/cli/run-report.ts';
import { block, code, codes, page, section, sentence, table } from './markdown.ts';

/** Every command with its arguments and flags, as its parser knows them. */
export async function cliPage(): Promise<string> {
  const commands = await Promise.all(
    shownCommands.map(async (entry) => {
      const parser = parserOf(entry, await entry.load());
      return section(
        2,
        `assay ${entry.name}`,
        sentence(entry.summary),
        entry.aliases.length > 0 ? `Also called ${codes(entry.aliases.map((alias) => `assay ${alias}`))}.` : '',
        block('sh', `assay ${entry.name} ${parser.usage()}`),
        table(['argument', 'default', 'description'], parser.registeredArguments.map(argumentRow)),
        table(['option', 'default', 'description'], parser.options.map(optionRow)),
        await afterHelp(parser),
      );
    }),
  );
  const codesTable = table(
    ['exit code', 'meaning'],
    Object.entries(exitCodes).map(([exitCode, meaning]) => [code(exitCode), sentence(meaning)]),
  );
  return page(
    'Commands',
    'Every command of `assay`, with its arguments and options. `assay <command> --help` prints the same; options that are seldom needed are listed by `--help --all`. Those of a run are explained in [options of a run](run-options.md).',
    section(2, 'Exit codes', codesTable),
    ...commands,
  );
}

function argumentRow(argument: Command['registeredArguments'][number]): string[] {
  const name = `${argument.name()}${argument.variadic ? '…' : ''}`;
  return [
    code(argument.required ? `<${name}>` : `[${name}]`),
    argument.required ? 'required' : defaultOf(argument.defaultValue),
    sentence(argument.description),
  ];
}

function optionRow(option: Command['options'][number]): string[] {
  return [code(option.flags), defaultOf(option.defaultValue), sentence(option.description)];
}

function defaultOf(value: unknown): string {
  if (value === undefined || value === true || value === false) return '';
  return code(typeof value === 'string' ? value : JSON.stringify(value));
}

/** Examples and notes that the help shows below the options. */
async function afterHelp(parser: Command): Promise<string> {
  let text = '';
  parser.configureOutput({ writeOut: (piece) => (text += piece) });
  parser.outputHelp();
  const notes = text.slice(parser.helpInformation().length).trim();
  return notes === '' ? '' : block('text', notes);
}
