import { AssayError } from '../../../domain/errors.ts';
import type { CliCommand, CommandEntry } from '../command.ts';

/**
 * Commands that run what a project says. All others only read: they run nothing of a project that its user has neither run
 * nor trusted. docs/reference/trust.md has the table.
 */
const running: ReadonlySet<string> = new Set([
  ...['init', 'run', 'serve', 'experiment run', 'experiment improve', 'attack', 'collect', 'score trace', 'score run'],
  ...[
    'score calibrate',
    'cases generate',
    'mcp check',
    'mcp mock',
    'mcp login',
    'mcp serve',
    'queue worker',
    'gateway',
  ],
  ...['fake-model', 'terminal-host', 'mcp-proxy'],
]);
/** Options with which another command runs something too. */
const runningOptions: Readonly<Record<string, string>> = { validate: '--prove' };

/** Listed by `assay --help --all` only. */
const seldom: ReadonlySet<string> = new Set([
  'project',
  'export',
  'gateway',
  'fake-model',
  'trust',
  'token',
  'schema',
  'completion',
]);

/** Commands that are used together, in the order of the help page. A name of two words is one of a family. */
export const commandGroups: readonly { readonly title: string; readonly entries: readonly CommandEntry[] }[] = [
  {
    title: 'Everyday',
    entries: [
      entry('init', 'create a starter project you can run right away', () => import('./init.ts')),
      entry('run', 'run scenario files or folders', () => import('./run/run.ts'), ['eval']),
      entry('validate', 'check files without running them', () => import('./validate.ts')),
      entry('list scenarios', 'list the scenarios there are', () => import('./scenarios.ts'), ['scenarios', 'list']),
      entry('list agents', 'list agents installed on this machine', () => import('./agents.ts'), ['agents']),
      entry('list models', 'list the available models with prices', () => import('./models.ts'), ['models']),
      entry('list evaluators', 'list the evaluators and their configs', () => import('./evaluators.ts'), [
        'evaluators',
      ]),
      entry('show', 'show a run, a trial or a scenario', () => import('./show.ts')),
      entry('runs', 'list the stored runs', () => import('./runs.ts')),
      entry('report', 'write reports of a stored run', () => import('./report.ts')),
      entry('serve', 'serve the web pages and the API', () => import('./serve.ts')),
      entry(
        'project',
        'create, change and delete scenarios, personas, connectors and evals',
        () => import('./project/project.ts'),
      ),
    ],
  },
  {
    title: 'Compare and improve',
    entries: [
      entry('compare', 'compare two runs or variants', () => import('./compare.ts')),
      entry('diff', 'compare the steps of two trials, runs or variants', () => import('./diff.ts')),
      entry('baseline', 'save a run as the baseline for later runs', () => import('./baseline.ts')),
      entry(
        'experiment run',
        'run variants in rounds until they can be distinguished',
        () => import('./experiment.ts'),
        ['experiment'],
      ),
      entry('experiment plan', 'estimate how many repeats you need', () => import('./plan-repeats.ts'), [
        'plan-repeats',
      ]),
      entry(
        'experiment improve',
        'let a model propose changes to a text, and keep what is shown to help',
        () => import('./improve.ts'),
        ['improve'],
      ),
      entry('attack', 'plant instructions in what tools return', () => import('./attack.ts')),
    ],
  },
  {
    title: 'Recorded results',
    entries: [
      entry('import', 'import transcripts and results from other programs', () => import('./import.ts')),
      entry('collect', 'receive traces over OpenTelemetry', () => import('./collect.ts')),
      entry('score trace', 'score a recorded trace without running anything', () => import('./evaluate.ts'), [
        'evaluate',
      ]),
      entry('score run', 'score a stored run again without running it', () => import('./rescore.ts'), ['rescore']),
      entry('score judge', 'judge recorded results by boolean criteria', () => import('./judge/judge.ts'), ['judge']),
      entry('score calibrate', 'compare the judge with people', () => import('./calibrate.ts'), ['calibrate']),
      entry('cases generate', 'write scenarios from a tool or from traces', () => import('./generate.ts'), [
        'generate',
      ]),
      entry('cases promote', 'write a scenario from a trial or a trace', () => import('./promote.ts'), ['promote']),
      entry('export', 'send runs to OpenTelemetry, Langfuse, Braintrust or Phoenix', () => import('./export.ts')),
    ],
  },
  {
    title: 'Servers and machines',
    entries: [
      entry('mcp check', 'check an MCP server without a model', () => import('./mcp-check/mcp-check.ts'), [
        'mcp-check',
      ]),
      entry('mcp mock', 'serve a mocked MCP server over stdio', () => import('./mcp-mock.ts'), ['mcp-mock']),
      entry('mcp login', 'log in to an MCP server', () => import('./mcp-login.ts'), ['mcp-login']),
      entry('mcp serve', 'serve Assay to coding agents over MCP', () => import('./mcp.ts'), ['mcp']),
      entry('queue worker', 'run trials of distributed runs here', () => import('./worker.ts'), ['worker']),
      entry('queue list', 'list the workers and the waiting trials', () => import('./workers.ts'), ['workers']),
      entry('queue watch', 'follow a run of any process or machine', () => import('./watch.ts'), ['watch']),
      entry('queue control', 'pause, continue or change a live run', () => import('./control.ts'), ['control']),
      entry('queue cancel', 'cancel a distributed run on all machines', () => import('./cancel.ts'), ['cancel']),
      entry('store', 'copy or check a whole store', () => import('./store.ts')),
      entry('store clean', 'remove old runs', () => import('./clean.ts'), ['clean']),
      entry('doctor', "check this machine's setup", () => import('./doctor.ts')),
      entry('gateway', 'record what a program and its model send each other', () => import('./gateway.ts')),
      entry('fake-model', 'serve a model that follows a script', () => import('./fake-model.ts')),
      entry(
        'trust',
        "agree to run a project's code and to addresses that it sends keys to",
        () => import('./trust.ts'),
      ),
      entry('token', 'create tokens with roles for `assay serve`', () => import('./token.ts')),
      entry('schema', 'print the JSON Schema of a file format', () => import('./schema.ts')),
      entry('completion', 'print shell completion', () => import('./completion.ts')),
    ],
  },
];

/** Summaries of the families. */
export const families: Readonly<Record<string, string>> = {
  list: 'list scenarios, agents, models or evaluators',
  experiment: 'run, plan or improve variants until they can be distinguished',
  score: 'score a recorded trace, a stored run or results again',
  cases: 'write scenarios from a tool, a trial or traces',
  mcp: 'check, mock, log in to or serve over MCP',
  queue: 'work on, list, follow or cancel runs of several machines',
  store: 'copy, check or clean a store',
};

/** For programs that Assay starts, not for people. */
const hiddenCommands: readonly CommandEntry[] = [
  entry('terminal-host', 'run a program in a terminal', () => import('./terminal-host.ts')),
  entry('sqlite-rows', 'print the rows of a database', () => import('./sqlite-rows.ts')),
  entry('mcp-proxy', 'record the calls of an MCP server', () => import('./mcp-proxy.ts')),
];

/** The commands that are meant for people. */
export const shownCommands: readonly CommandEntry[] = commandGroups.flatMap(({ entries }) => entries);

export const commands: readonly CommandEntry[] = [...shownCommands, ...hiddenCommands];

function entry(
  name: string,
  summary: string,
  importCommand: () => Promise<object>,
  aliases: readonly string[] = [],
): CommandEntry {
  return {
    ...{ name, aliases, summary },
    load: async () => onlyCommand(await importCommand()),
    ...(seldom.has(name) && { isSeldom: true }),
    runs: running.has(name) || runningOptions[name],
  };
}

/** The command that a file exports, whatever its name. */
function onlyCommand(exported: object): CliCommand {
  const isCommand = (value: object): value is CliCommand => 'configure' in value && 'run' in value;
  const found = Object.values(exported).find((value) => typeof value === 'object' && isCommand(value));
  if (found) return found;
  throw new AssayError('INTERNAL', 'The file of a command exports none.');
}
