import { openProject } from '../../../compose/config/project.ts';
import { projectPaths, selectScenarios } from '../../../compose/run/prepare-run.ts';
import { completeRequest } from '../../../compose/run/run-project.ts';
import type { Scenario } from '../../../domain/scenario.ts';
import { printable } from '../../../shared/text.ts';
import type { CliCommand } from '../command.ts';
import { write } from '../context.ts';
import { integerOption, listOption, textOption } from '../option-values.ts';
import { exportLines, importLines } from '../scenario-lines.ts';
import type { ServerFacts } from '../server-facts.ts';

const tierLabels = ['smoke', 'quick', 'standard', 'comprehensive'];

/** `assay scenarios`: what there is to run. */
export const scenarios: CliCommand = {
  configure(command) {
    command
      .argument('[paths...]', 'scenario files or folders; by default those of the config')
      .option('--tags <tags>', 'only scenarios with any of these tags', listOption)
      .option('--tier <n>', 'only scenarios of this tier or below', integerOption(0))
      .option('--export <file>', 'write the conversations as JSON Lines, one per line; - prints them', textOption)
      .option('--import <file>', 'make a scenario file of each line of a JSON Lines file', textOption)
      .option('-o, --output <dir>', 'folder for imported scenarios', textOption)
      .option('--json', 'print one JSON document');
  },
  async run({ args, options, context }) {
    if (typeof options.import === 'string')
      return importLines(options.import, options.output as string | undefined, context);
    const project = await openProject(context.cwd, context.env);
    const tier = (options.tier as number | undefined) ?? null;
    const paths = projectPaths(args, context.cwd, project);
    const request = completeRequest({ paths, tags: options.tags as string[] | undefined, tier }, project);
    const found = (await selectScenarios(request, project, { isJudgeForced: false, env: context.env })).scenarios;
    if (typeof options.export === 'string') return exportLines(options.export, found, project.folder, context);
    const listed = await Promise.all(found.map(async (scenario) => ({ scenario, facts: await factsOf(scenario) })));
    if (options.json) {
      await write(context.stdout, `${JSON.stringify(listed.map(listEntry), null, 2)}\n`);
      return 0;
    }
    const lines = listed.flatMap((item, index) => [...serverLine(item, listed[index - 1]), listLine(item)]);
    await write(
      context.stdout,
      `Available scenarios${tier === null ? '' : ` (tier ${tierLabel(tier)})`}:\n${lines.join('\n')}\n`,
    );
    return 0;
  },
};

interface Listed {
  readonly scenario: Scenario;
  /** Of a scenario about an MCP server, and its text. */
  readonly facts: { readonly facts: ServerFacts; readonly text: string } | undefined;
}

async function factsOf(scenario: Scenario): Promise<Listed['facts']> {
  if (scenario.serverPart === undefined) return undefined;
  const { factsText, serverFacts } = await import('../server-facts.ts');
  const facts = await serverFacts(scenario);
  return facts && { facts, text: factsText(facts) };
}

function listEntry({ scenario, facts }: Listed): Record<string, unknown> {
  const { name, description, file, tags, tier, caseCount, repeat } = scenario;
  return { name, description, file, tags, tier, cases: caseCount, repeat, ...facts?.facts };
}

function listLine({ scenario, facts }: Listed): string {
  const { name, description, tags, tier, caseCount } = scenario;
  const tagged = tags.length > 0 ? ` [${tags.join(', ')}]` : '';
  const size = facts ? ` (${facts.text})` : caseCount > 1 ? ` (${caseCount} cases)` : '';
  const about = description ? ` - ${description.trim().split('\n')[0]}` : '';
  return `  [${tierLabel(tier)}] ${name}${tagged}${size}${about}`;
}

/** The server that the following scenarios are about, where it is another than before. */
function serverLine({ scenario, facts }: Listed, before: Listed | undefined): string[] {
  if (!facts || before?.scenario.file === scenario.file) return [];
  const { transport, label } = facts.facts.server;
  return [`  MCP server (${transport}): ${printable(label)}`];
}

function tierLabel(tier: number): string {
  return tierLabels[tier] ?? `tier ${tier}`;
}
