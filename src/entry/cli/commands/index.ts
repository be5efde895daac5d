import type { CommandEntry } from '../command.ts';

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

/** Commands that are used together, in the order of the help page. A name of two words is one of a family. */
export const commandGroups: readonly { readonly title: string; readonly entries: readonly CommandEntry[] }[] = [
  {
    title: 'Everyday',
    entries: [
      entry('init', 'create a starter project you can run right away', async () => (await import('./init.ts')).init),
      entry('run', 'run scenario files or folders', async () => (await import('./run/run.ts')).run, {
        aliases: ['eval'],
      }),
      entry('validate', 'check files without running them', async () => (await import('./validate.ts')).validate),
      entry('list scenarios', 'list the scenarios there are', async () => (await import('./scenarios.ts')).scenarios, {
        aliases: ['scenarios', 'list'],
      }),
      entry('list agents', 'list agents installed on this machine', async () => (await import('./agents.ts')).agents, {
        aliases: ['agents'],
      }),
      entry('list models', 'list the available models with prices', async () => (await import('./models.ts')).models, {
        aliases: ['models'],
      }),
      entry(
        'list evaluators',
        'list the evaluators and their configs',
        async () => (await import('./evaluators.ts')).evaluators,
        { aliases: ['evaluators'] },
      ),
      entry('show', 'show a run, a trial or a scenario', async () => (await import('./show.ts')).show),
      entry('runs', 'list the stored runs', async () => (await import('./runs.ts')).runs),
      entry('report', 'write reports of a stored run', async () => (await import('./report.ts')).report),
      entry('serve', 'serve the web pages and the API', async () => (await import('./serve.ts')).serveCommand),
      entry(
        'project',
        'create, change and delete scenarios, personas, connectors and evals',
        async () => (await import('./project/project.ts')).project,
        { isSeldom: true },
      ),
    ],
  },
  {
    title: 'Compare and improve',
    entries: [
      entry('compare', 'compare two runs or variants', async () => (await import('./compare.ts')).compare),
      entry('diff', 'compare the steps of two trials, runs or variants', async () => (await import('./diff.ts')).diff),
      entry(
        'baseline',
        'save a run as the baseline for later runs',
        async () => (await import('./baseline.ts')).baseline,
      ),
      entry(
        'experiment run',
        'run variants in rounds until they can be distinguished',
        async () => (await import('./experiment.ts')).experiment,
        { aliases: ['experiment'] },
      ),
      entry(
        'experiment plan',
        'estimate how many repeats you need',
        async () => (await import('./plan-repeats.ts')).planRepeats,
        { aliases: ['plan-repeats'] },
      ),
      entry(
        'experiment improve',
        'let a model propose changes to a text, and keep what is shown to help',
        async () => (await import('./improve.ts')).improve,
        { aliases: ['improve'] },
      ),
      entry('attack', 'plant instructions in what tools return', async () => (await import('./attack.ts')).attack),
    ],
  },
  {
    title: 'Recorded results',
    entries: [
      entry(
        'import',
        'import transcripts and results from other programs',
        async () => (await import('./import.ts')).importCommand,
      ),
      entry('collect', 'receive traces over OpenTelemetry', async () => (await import('./collect.ts')).collect),
      entry(
        'score trace',
        'score a recorded trace without running anything',
        async () => (await import('./evaluate.ts')).evaluate,
        { aliases: ['evaluate'] },
      ),
      entry(
        'score run',
        'score a stored run again without running it',
        async () => (await import('./rescore.ts')).rescore,
        { aliases: ['rescore'] },
      ),
      entry(
        'score judge',
        'judge recorded results by boolean criteria',
        async () => (await import('./judge/judge.ts')).judge,
        { aliases: ['judge'] },
      ),
      entry(
        'score calibrate',
        'compare the judge with people',
        async () => (await import('./calibrate.ts')).calibrate,
        { aliases: ['calibrate'] },
      ),
      entry(
        'cases generate',
        'write scenarios from a tool or from traces',
        async () => (await import('./generate.ts')).generate,
        { aliases: ['generate'] },
      ),
      entry(
        'cases promote',
        'write a scenario from a trial or a trace',
        async () => (await import('./promote.ts')).promote,
        { aliases: ['promote'] },
      ),
      entry(
        'export',
        'send runs to a receiver of OpenTelemetry',
        async () => (await import('./export.ts')).exportCommand,
        { isSeldom: true },
      ),
    ],
  },
  {
    title: 'Servers and machines',
    entries: [
      entry(
        'mcp check',
        'check an MCP server without a model',
        async () => (await import('./mcp-check/mcp-check.ts')).mcpCheck,
        { aliases: ['mcp-check'] },
      ),
      entry('mcp mock', 'serve a mocked MCP server over stdio', async () => (await import('./mcp-mock.ts')).mcpMock, {
        aliases: ['mcp-mock'],
      }),
      entry('mcp login', 'log in to an MCP server', async () => (await import('./mcp-login.ts')).mcpLogin, {
        aliases: ['mcp-login'],
      }),
      entry('mcp serve', 'serve Assay to coding agents over MCP', async () => (await import('./mcp.ts')).mcp, {
        aliases: ['mcp'],
      }),
      entry('queue worker', 'run trials of distributed runs here', async () => (await import('./worker.ts')).worker, {
        aliases: ['worker'],
      }),
      entry(
        'queue list',
        'list the workers and the waiting trials',
        async () => (await import('./workers.ts')).workers,
        { aliases: ['workers'] },
      ),
      entry('queue watch', 'follow a run of any process or machine', async () => (await import('./watch.ts')).watch, {
        aliases: ['watch'],
      }),
      entry(
        'queue control',
        'pause, continue or change a live run',
        async () => (await import('./control.ts')).control,
        { aliases: ['control'] },
      ),
      entry(
        'queue cancel',
        'cancel a distributed run on all machines',
        async () => (await import('./cancel.ts')).cancel,
        { aliases: ['cancel'] },
      ),
      entry('store', 'copy or check a whole store', async () => (await import('./store.ts')).store),
      entry('store clean', 'remove old runs', async () => (await import('./clean.ts')).clean, { aliases: ['clean'] }),
      entry('doctor', "check this machine's setup", async () => (await import('./doctor.ts')).doctor),
      entry(
        'gateway',
        'record what a program and its model send each other',
        async () => (await import('./gateway.ts')).gateway,
        { isSeldom: true },
      ),
      entry(
        'fake-model',
        'serve a model that follows a script',
        async () => (await import('./fake-model.ts')).fakeModel,
        { isSeldom: true },
      ),
      entry(
        'trust',
        "agree to run a project's code and to addresses that it sends keys to",
        async () => (await import('./trust.ts')).trust,
        { isSeldom: true },
      ),
      entry('token', 'create tokens with roles for `assay serve`', async () => (await import('./token.ts')).token, {
        isSeldom: true,
      }),
      entry('schema', 'print the JSON Schema of a file format', async () => (await import('./schema.ts')).schema, {
        isSeldom: true,
      }),
      entry('completion', 'print shell completion', async () => (await import('./completion.ts')).completion, {
        isSeldom: true,
      }),
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
  entry('terminal-host', 'run a program in a terminal', async () => (await import('./terminal-host.ts')).terminalHost),
  entry('mcp-proxy', 'record the calls of an MCP server', async () => (await import('./mcp-proxy.ts')).mcpProxy),
];

/** The commands that are meant for people. */
export const shownCommands: readonly CommandEntry[] = commandGroups.flatMap(({ entries }) => entries);

export const commands: readonly CommandEntry[] = [...shownCommands, ...hiddenCommands];

function entry(
  name: string,
  summary: string,
  load: CommandEntry['load'],
  { aliases = [], isSeldom }: { readonly aliases?: readonly string[]; readonly isSeldom?: true } = {},
): CommandEntry {
  return {
    name,
    aliases,
    summary,
    load,
    ...(isSeldom && { isSeldom }),
    runs: running.has(name) || runningOptions[name],
  };
}
