import type { CommandEntry } from '../command.ts';

/** Commands that are used together, in the order of the help page. */
export const commandGroups: readonly { readonly title: string; readonly entries: readonly CommandEntry[] }[] = [
  {
    title: 'Everyday',
    entries: [
      entry('init', 'create a starter project you can run right away', async () => (await import('./init.ts')).init),
      entry('run', 'run scenario files or folders', async () => (await import('./run/run.ts')).run, ['eval']),
      entry('show', 'show a run, a trial or a scenario', async () => (await import('./show.ts')).show),
      entry('runs', 'list the stored runs', async () => (await import('./runs.ts')).runs),
      entry('report', 'write reports of a stored run', async () => (await import('./report.ts')).report),
      entry('serve', 'serve the web pages and the API', async () => (await import('./serve.ts')).serveCommand),
      entry('validate', 'check files without running them', async () => (await import('./validate.ts')).validate),
      entry('scenarios', 'list the scenarios there are', async () => (await import('./scenarios.ts')).scenarios, [
        'list',
      ]),
      entry(
        'generate',
        'write scenarios from a tool or from traces',
        async () => (await import('./generate.ts')).generate,
      ),
      entry('promote', 'write a scenario from a trial or a trace', async () => (await import('./promote.ts')).promote),
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
        'experiment',
        'run variants in rounds until they can be distinguished',
        async () => (await import('./experiment.ts')).experiment,
      ),
      entry(
        'plan-repeats',
        'estimate how many repeats you need',
        async () => (await import('./plan-repeats.ts')).planRepeats,
      ),
      entry(
        'improve',
        'let a model propose changes to a text, and keep what is shown to help',
        async () => (await import('./improve.ts')).improve,
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
        'export',
        'send runs to a receiver of OpenTelemetry',
        async () => (await import('./export.ts')).exportCommand,
      ),
      entry(
        'evaluate',
        'score a recorded trace without running anything',
        async () => (await import('./evaluate.ts')).evaluate,
      ),
      entry(
        'rescore',
        'score a stored run again without running it',
        async () => (await import('./rescore.ts')).rescore,
      ),
      entry(
        'judge',
        'judge recorded results by boolean criteria',
        async () => (await import('./judge/judge.ts')).judge,
      ),
      entry('calibrate', 'compare the judge with people', async () => (await import('./calibrate.ts')).calibrate),
    ],
  },
  {
    title: 'Servers',
    entries: [
      entry(
        'mcp-check',
        'check an MCP server without a model',
        async () => (await import('./mcp-check/mcp-check.ts')).mcpCheck,
      ),
      entry('mcp-mock', 'serve a mocked MCP server over stdio', async () => (await import('./mcp-mock.ts')).mcpMock),
      entry('mcp-login', 'log in to an MCP server', async () => (await import('./mcp-login.ts')).mcpLogin),
      entry('mcp', 'serve Assay to coding agents over MCP', async () => (await import('./mcp.ts')).mcp),
      entry(
        'fake-model',
        'serve a model that follows a script',
        async () => (await import('./fake-model.ts')).fakeModel,
      ),
      entry(
        'gateway',
        'record what a program and its model send each other',
        async () => (await import('./gateway.ts')).gateway,
      ),
    ],
  },
  {
    title: 'Machines',
    entries: [
      entry('worker', 'run trials of distributed runs here', async () => (await import('./worker.ts')).worker),
      entry('workers', 'list the workers and the waiting trials', async () => (await import('./workers.ts')).workers),
      entry('watch', 'follow a run of any process or machine', async () => (await import('./watch.ts')).watch),
      entry('control', 'pause, continue or change a live run', async () => (await import('./control.ts')).control),
      entry('cancel', 'cancel a distributed run on all machines', async () => (await import('./cancel.ts')).cancel),
      entry('token', 'create tokens with roles for `assay serve`', async () => (await import('./token.ts')).token),
    ],
  },
  {
    title: 'Maintenance',
    entries: [
      entry('doctor', "check this machine's setup", async () => (await import('./doctor.ts')).doctor),
      entry('agents', 'list agents installed on this machine', async () => (await import('./agents.ts')).agents),
      entry('models', 'list the available models with prices', async () => (await import('./models.ts')).models),
      entry(
        'evaluators',
        'list the evaluators and their configs',
        async () => (await import('./evaluators.ts')).evaluators,
      ),
      entry('schema', 'print the JSON Schema of a file format', async () => (await import('./schema.ts')).schema),
      entry(
        'project',
        'create, change and delete scenarios, personas, connectors and evals',
        async () => (await import('./project/project.ts')).project,
      ),
      entry('store', 'copy or check a whole store', async () => (await import('./store.ts')).store),
      entry('clean', 'remove old runs', async () => (await import('./clean.ts')).clean),
      entry('completion', 'print shell completion', async () => (await import('./completion.ts')).completion),
    ],
  },
];

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
  aliases: readonly string[] = [],
): CommandEntry {
  return { name, aliases, summary, load };
}
