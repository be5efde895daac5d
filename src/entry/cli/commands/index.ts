import type { CommandEntry } from '../command.ts';

/** Every command, in the order of the help page. */
export const commands: readonly CommandEntry[] = [
  entry('init', 'make a starter project that runs at once', async () => (await import('./init.ts')).init),
  entry('run', 'run scenario files or folders', async () => (await import('./run/run.ts')).run, ['eval']),
  entry('judge', 'judge recorded results by boolean criteria', async () => (await import('./judge/judge.ts')).judge),
  entry('validate', 'check files without running them', async () => (await import('./validate.ts')).validate),
  entry('scenarios', 'list the scenarios there are', async () => (await import('./scenarios.ts')).scenarios, ['list']),
  entry('runs', 'list the stored runs', async () => (await import('./runs.ts')).runs),
  entry(
    'import',
    'bring in transcripts and results made elsewhere',
    async () => (await import('./import.ts')).importCommand,
  ),
  entry('evaluate', 'score a recorded trace, run nothing', async () => (await import('./evaluate.ts')).evaluate),
  entry('rescore', 'score a stored run again, run nothing', async () => (await import('./rescore.ts')).rescore),
  entry('worker', 'run trials of distributed runs here', async () => (await import('./worker.ts')).worker),
  entry('workers', 'list the workers and what waits', async () => (await import('./workers.ts')).workers),
  entry('watch', 'follow a run from anywhere', async () => (await import('./watch.ts')).watch),
  entry('cancel', 'end a distributed run on all machines', async () => (await import('./cancel.ts')).cancel),
  entry('show', 'show a run, a trial or a scenario', async () => (await import('./show.ts')).show),
  entry('diff', 'show what was done differently', async () => (await import('./diff.ts')).diff),
  entry('compare', 'tell whether one run is better than another', async () => (await import('./compare.ts')).compare),
  entry(
    'baseline',
    'keep a run that later ones are held against',
    async () => (await import('./baseline.ts')).baseline,
  ),
  entry('plan-repeats', 'tell how often to repeat', async () => (await import('./plan-repeats.ts')).planRepeats),
  entry('report', 'write reports of a stored run', async () => (await import('./report.ts')).report),
  entry(
    'evaluators',
    'list the evaluators and their configs',
    async () => (await import('./evaluators.ts')).evaluators,
  ),
  entry('calibrate', 'compare the judge with people', async () => (await import('./calibrate.ts')).calibrate),
  entry('agents', 'list the agents that can drive a tool here', async () => (await import('./agents.ts')).agents),
  entry('models', 'list the models that can be asked, with prices', async () => (await import('./models.ts')).models),
  entry('schema', 'print the JSON Schema of a file format', async () => (await import('./schema.ts')).schema),
  entry('fake-model', 'serve a model that follows a script', async () => (await import('./fake-model.ts')).fakeModel),
  entry(
    'mcp-check',
    'check an MCP server without a model',
    async () => (await import('./mcp-check/mcp-check.ts')).mcpCheck,
  ),
  entry('mcp', 'serve Assay to coding agents over MCP', async () => (await import('./mcp.ts')).mcp),
  entry('serve', 'show everything in a browser', async () => (await import('./serve.ts')).serveCommand),
  entry('doctor', 'tell what works on this machine', async () => (await import('./doctor.ts')).doctor),
  entry('store', 'copy or check a whole store', async () => (await import('./store.ts')).store),
  entry('clean', 'remove old runs', async () => (await import('./clean.ts')).clean),
  entry('completion', 'print shell completion', async () => (await import('./completion.ts')).completion),
  {
    ...entry('mcp-proxy', 'stand in front of an MCP server', async () => (await import('./mcp-proxy.ts')).mcpProxy),
    isHidden: true,
  },
];

/** The commands that are meant for people. */
export const shownCommands: readonly CommandEntry[] = commands.filter(({ isHidden }) => !isHidden);

function entry(
  name: string,
  summary: string,
  load: CommandEntry['load'],
  aliases: readonly string[] = [],
): CommandEntry {
  return { name, aliases, summary, load };
}
