import { openProject } from '../../../compose/config/project.ts';
import { type AgentDescription, describeAgents } from '../../../compose/config/project-agents.ts';
import type { CliCommand } from '../command.ts';
import { write, writeText } from '../context.ts';

/** `assay list agents`: who can drive a tool here, and what the others need. */
export const agents: CliCommand = {
  configure(command) {
    command.option('--json', 'print one JSON document');
  },
  async run({ options, context }) {
    const project = await openProject(context.cwd, context.env);
    const described = await describeAgents(project, context.env);
    if (options.json) await write(context.stdout, `${JSON.stringify(described, null, 2)}\n`);
    else await writeText(context.stdout, listText(described));
    return 0;
  },
};

function terminalNote(terminal: AgentDescription['terminal']): string {
  if (terminal === null) return '';
  return terminal === 'opened' ? '; in a terminal' : `; with pipes instead of a terminal: ${terminal}`;
}

function listText(described: readonly AgentDescription[]): string {
  const width = Math.max(...described.map(({ name }) => name.length)) + 2;
  const lines = described.flatMap(({ name, summary, isUsable, version, problem, hint, isRecorded, terminal }) => [
    `  ${isUsable ? '✓' : '✗'} ${name.padEnd(width)}${isUsable ? `${version ?? 'usable'}, ${summary}${isRecorded ? '; through the gateway' : ''}${terminalNote(terminal)}` : summary}`,
    ...(problem === null ? [] : [`    ${''.padEnd(width)}${problem} ${hint ?? ''}`.trimEnd()]),
  ]);
  return `Agents\n${lines.join('\n')}\n\nAgents of your own: \`agents:\` in the config, each with a \`command\`.\n`;
}
