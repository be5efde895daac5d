import { type Command, InvalidArgumentError, Option } from 'commander';
import { checkFormats } from '../../../../mcp-check/formats/index.ts';
import { integerOption, listOption, numberOption, textOption } from '../../options/values.ts';

/** From when on problems make the command fail. */
type FailOn = 'error' | 'warning' | 'never';

/** The options of `assay mcp check` as they were given. */
export interface CommandOptions {
  readonly header?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly transport?: string;
  readonly timeoutSecs: number;
  readonly callAll?: boolean;
  readonly call?: readonly string[];
  readonly skip?: readonly string[];
  readonly calls: number;
  readonly concurrency: number;
  readonly seed: number;
  readonly baseline?: string;
  readonly writeBaseline?: boolean;
  readonly conformance?: boolean;
  readonly allowNpx?: boolean;
  readonly proveAmbiguous?: string;
  readonly requestsPerPair: number;
  readonly maxUsd?: number;
  readonly serverJson?: string;
  readonly fix?: string;
  readonly format?: string;
  readonly output?: string;
  readonly json?: boolean;
  readonly failOn: FailOn;
  readonly strict?: boolean;
}

/** Adds the options to the command. */
export function addCheckOptions(command: Command): void {
  command
    .option('--header <name=value>', 'header for a server behind a URL; may be repeated', pairOption)
    .option('--env <name=value>', 'variable for a server that is started; may be repeated', pairOption)
    .addOption(new Option('--transport <kind>', 'transport for a URL').choices(['stdio', 'http', 'shttp', 'sse']))
    .option('--timeout-secs <n>', 'time limit for the start and for each request', numberOption(0, 86_400, true), 30)
    .option('--calls <n>', 'valid calls per tool; 0 to call none', integerOption(0, 1_000), 5)
    .option('--concurrency <n>', 'read-only tools that are called at the same time', integerOption(1, 64), 4)
    .option(
      '--call <tool>',
      'call this tool whatever its annotations say; may be repeated, `*` stands for any text',
      listOption,
    )
    .option('--skip <tool>', 'do not call this tool; may be repeated, `*` stands for any text', listOption)
    .option('--call-all', 'call all tools, also those that may change something')
    .option('--seed <n>', 'seed for generated arguments', integerOption(0, 4_294_967_295), 1)
    .option('--baseline <file>', 'show what changed since this file was written', textOption)
    .option('--write-baseline', 'write the definitions and their pins to the file of --baseline')
    .option('--conformance', 'also run the official suite, @modelcontextprotocol/conformance, where it is installed')
    .option('--allow-npx', 'let npx fetch the official suite where it is not installed')
    .option(
      '--prove-ambiguous <model>',
      'try pairs of tools that seem ambiguous on this model, as provider/model',
      textOption,
    )
    .option('--requests-per-pair <n>', 'requests to the model for each pair', integerOption(10, 1_000), 30)
    .option('--max-usd <amount>', 'spending limit for the model in USD', numberOption(0, 1_000_000))
    .option(
      '--server-json <file>',
      'compare the manifest for the MCP registry with the server and its package',
      textOption,
    )
    .option('--fix <file>', 'write mechanical fixes of names and descriptions to a new file, as a wording', textOption)
    .addOption(
      new Option('--format <format>', 'report format (default: by the extension of -o)').choices(
        checkFormats.map(({ name }) => name),
      ),
    )
    .option('-o, --output <file>', 'write the report to a file, and a text for people to stdout', textOption)
    .option('--json', 'print one JSON document; the same as --format json')
    .addOption(
      new Option('--fail-on <severity>', 'exit 1 from this severity on')
        .choices(['error', 'warning', 'never'])
        .default('error'),
    )
    .option('--strict', 'exit 3 if something could not be checked here, such as a tool without network or key');
}

function pairOption(text: string, before: Readonly<Record<string, string>> = {}): Record<string, string> {
  const [, name, value] = /^\s*([^\s=:]+)\s*[=:]\s*(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined) throw new InvalidArgumentError('It must have the form name=value.');
  return { ...before, [name]: value };
}
