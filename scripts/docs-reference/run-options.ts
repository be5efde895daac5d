import { defaultConfig } from '../../src/compose/config/default-config.ts';
import { runOptions } from '../../src/domain/run-options/index.ts';
import { type RunOption, rangeText } from '../../src/domain/run-options/run-option.ts';
import { code, codes, page, section, sentence, table } from './markdown.ts';

/** Every option of a run, with all ways to give it. */
export function runOptionsPage(): string {
  const sections = [...new Set(runOptions.map((option) => option.section))];
  return page(
    'Options of a run',
    'Every option of `assay run`, and of the commands that share it, with the ways to give it: a flag, a key of the config, a field of `POST /api/runs`, an argument of the MCP tool `run`, a field of the start dialog. A way that is missing is missing on purpose.',
    ...sections.map((title) =>
      section(2, title, ...runOptions.filter((option) => option.section === title).map(optionSection)),
    ),
  );
}

function optionSection(option: RunOption): string {
  const { key, help, aliases = [], ways, commands, keptBy, mayChange, distributed, requires, excludes = [] } = option;
  const others = ways.filter((way) => way !== 'cli');
  const rows = [
    ['command line', flagText(option)],
    ['also written', codes(aliases.map(({ flag }) => flag))],
    ['commands', codes(commands.map((command) => `assay ${command}`))],
    ['other ways', others.length === 0 ? '' : `${code(key)} in ${others.map((way) => wayNames[way]).join(', ')}`],
    ['value', valueText(option)],
    ['without it', withoutText(option)],
    ['example', code(exampleText(option))],
    ['requires', requires === undefined ? '' : code(requires)],
    ['not with', codes(excludes)],
    [
      'resumed run',
      keptBy.includes('resume')
        ? `keeps it${mayChange ? ', unless another is given' : '; another value is refused'}`
        : '',
    ],
    ['run again', keptBy.includes('again') ? 'keeps it, unless another is given' : ''],
    ['with workers', distributed === true ? 'the same' : `refused: ${distributed}`],
  ];
  return section(
    3,
    key,
    sentence(help),
    table(
      ['', ''],
      rows.filter(([, cell]) => cell !== ''),
    ),
  );
}

const wayNames = {
  cli: 'the command line',
  config: 'the config',
  api: 'the API',
  mcp: 'MCP',
  form: 'the start dialog',
} as const;

function flagText({ flag, isArgument }: RunOption): string {
  if (flag === undefined) return '';
  return isArgument ? `argument ${code(flag)}` : code(flag);
}

/** A switch is its own example. */
export function exampleText({ key, flag = '', example = '', value }: RunOption): string {
  const name = /--[\w-]+/.exec(flag)?.[0] ?? '';
  const text = `${name} ${example}`.trim();
  if (example === '' && value.kind !== 'switch') throw new Error(`The option ${key} of a run needs an example.`);
  return text;
}

function valueText({ value }: RunOption): string {
  const range = rangeText(value);
  if (range !== undefined) return range;
  if (value.kind === 'names')
    return value.of ? `any of ${codes(value.of)}, separated by commas` : 'names, separated by commas';
  if (value.kind === 'choice') return `one of ${codes(value.of)}`;
  if (value.kind === 'share') return 'a share such as `20%` or `0.2`';
  if (value.kind === 'text') return value.longest === undefined ? '' : `text of at most ${value.longest} characters`;
  return '';
}

/** The default of the config where it has one. */
export function withoutText({ key, value, without }: RunOption): string {
  const usual = new Map<string, unknown>(Object.entries(defaultConfig)).get(key);
  if (typeof usual === 'number' || typeof usual === 'string') return code(String(usual));
  const text = without ?? (value.kind === 'switch' ? 'off' : undefined);
  if (text === undefined) throw new Error(`The option ${key} of a run needs \`without\`: what happens without it.`);
  return text;
}
