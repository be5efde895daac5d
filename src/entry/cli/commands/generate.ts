import { dirname, extname, join, relative, resolve } from 'node:path';
import { Option } from 'commander';
import { type SourceKind, sourceKinds } from '../../../compose/cases/generate/find-source.ts';
import type { Generated } from '../../../compose/cases/generate/generate-cases.ts';
import type { ToolCoverage } from '../../../compose/cases/generate/generated-case.ts';
import { openProject, type Project } from '../../../compose/config/project.ts';
import { SecretPlaceholders, unsetVariablesText } from '../../../compose/starters/secret-placeholders.ts';
import { counted } from '../../../shared/format.ts';
import { printable, shorten } from '../../../shared/text.ts';
import type { CliCommand } from '../command.ts';
import { type CliContext, write } from '../context.ts';
import { integerOption, listOption, numberOption, textOption } from '../options/values.ts';
import { Interrupt } from '../process.ts';

interface GenerateFlags {
  readonly from: string;
  readonly kind?: SourceKind;
  readonly output?: string;
  readonly model?: string;
  readonly maxUsd?: number;
  readonly callsPerTool: number;
  readonly call?: readonly string[];
  readonly skip?: readonly string[];
  readonly callAll?: boolean;
  readonly connector?: string;
  readonly binary?: string;
  readonly timeoutSecs: number;
  readonly force?: boolean;
  readonly json?: boolean;
}

/** `assay cases generate`: scenarios from a tool or from traces. */
export const generate: CliCommand = {
  configure(command) {
    command
      .requiredOption(
        '--from <source>',
        'command line, URL or file of an MCP server; `<program> --help`; an OpenAPI file; a folder with traces; or the folder of a skill',
        textOption,
      )
      .addOption(new Option('--kind <kind>', 'kind of the source (default: detected)').choices([...sourceKinds]))
      .option('-o, --output <folder>', 'folder to write to (default: `generated` in the scenarios folder)', textOption)
      .option('--model <model>', 'let this model word further requests, as provider/model', textOption)
      .option('--max-usd <amount>', 'spending limit for the model in USD', numberOption(0, 1_000_000))
      .option('--calls-per-tool <n>', 'most direct calls of one tool', integerOption(1, 1_000), 16)
      .option('--call <tool>', 'include this tool though it may change something; may be repeated', listOption)
      .option('--skip <tool>', 'leave this tool out; may be repeated', listOption)
      .option('--call-all', 'include all tools, also those that may change something')
      .option('--connector <name>', 'for traces of conversations: connector or address of the agent', textOption)
      .option('--binary <program>', 'for traces of coding agents: program under test', textOption)
      .option('--timeout-secs <n>', 'time limit for each request and help text', numberOption(0, 86_400, true), 30)
      .option('--force', 'replace files that were generated before')
      .option('--json', 'print one JSON document')
      .addHelpText(
        'after',
        '\nExamples:\n  assay cases generate --from "node server.mjs"\n  assay cases generate --from "git --help" --call status --call log\n  assay cases generate --from openapi.yaml\n  assay cases generate --from skills/csv-summary --model openai/gpt-4o-mini\n  assay cases generate --from traces/ --connector http://localhost:3000/chat\n',
      );
  },
  async run({ options, context }) {
    const flags = options as unknown as GenerateFlags;
    const { cwd, env } = context;
    const project = await openProject(cwd, env);
    const { generateCases } = await import('../../../compose/cases/generate/generate-cases.ts');
    using interrupt = new Interrupt(() => undefined);
    const generated = await generateCases({
      project,
      env,
      cwd,
      from: flags.from,
      kind: flags.kind,
      output: outputOf(flags, project, context),
      model: flags.model,
      maxUsd: flags.maxUsd,
      callsPerTool: flags.callsPerTool,
      callsAll: flags.callAll ?? false,
      call: flags.call ?? [],
      skip: flags.skip ?? [],
      connector: flags.connector,
      binary: flags.binary,
      force: flags.force ?? false,
      timeoutMs: flags.timeoutSecs * 1_000,
      signal: interrupt.signal,
    });
    const document = { schema: 'assay.generate/1', source: new SecretPlaceholders(env).text(flags.from), ...generated };
    await write(context.stdout, flags.json ? `${JSON.stringify(document, null, 2)}\n` : reportText(generated));
    return 0;
  },
};

function outputOf({ output }: GenerateFlags, { config, folder }: Project, { cwd }: CliContext): string {
  if (output !== undefined) return relative(folder, resolve(cwd, output));
  const [first = '.'] = config.scenarios;
  return join(extname(first) === '' ? first : dirname(first), 'generated');
}

function reportText({ files, cases, duplicates, rejected, coverage, variables }: Generated): string {
  const labels = Object.entries(cases).map(([label, count]) => `${count} ${label}`);
  const total = Object.values(cases).reduce((sum, count) => sum + count, 0);
  const listed = files.slice(0, mostFiles).map((file) => `  ${file}`);
  return [
    ...listed,
    ...(files.length > mostFiles ? [`  … and ${counted(files.length - mostFiles, 'more file')}`] : []),
    '',
    ...coverageTable(coverage),
    '',
    `  ${counted(total, 'case')}: ${labels.join(', ')}`,
    ...(duplicates > 0 ? [`  ${counted(duplicates, 'duplicate')} left out`] : []),
    ...(rejected > 0 ? [`  ${counted(rejected, 'reply', 'replies')} of the model did not fit the tools`] : []),
    ...unsetVariablesText(variables).map((text) => `  ${text}`),
    '',
  ].join('\n');
}

const mostFiles = 20;

/** One row for each tool. */
function coverageTable(coverage: readonly ToolCoverage[]): string[] {
  const rows = coverage.map(({ tool, calls, prompts, argumentsUsed, argumentsTotal, boundaries, errorPaths, note }) => [
    shorten(printable(tool), 40),
    String(calls),
    `${argumentsUsed}/${argumentsTotal}`,
    String(boundaries),
    String(errorPaths),
    String(prompts),
    note === null ? '' : shorten(printable(note), 100),
  ]);
  const table = [['tool', 'calls', 'arguments', 'boundaries', 'error paths', 'requests', ''], ...rows];
  const widths = table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? [];
  return table.map((row) => {
    const cells = row.map((cell, column) =>
      column === 0 || column === 6 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
    );
    return `  ${cells.join('  ')}`.trimEnd();
  });
}
