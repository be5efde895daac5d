import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { openProject } from '../../../compose/config/project.ts';
import { selectScenarios } from '../../../compose/run/prepare-run.ts';
import { AssayError } from '../../../domain/errors.ts';
import type { Workflow } from '../../../domain/mcp/suites.ts';
import { ProblemsError } from '../../../domain/problem.ts';
import type { Scenario } from '../../../domain/scenario.ts';
import { type ServerDefinition, serverLabel } from '../../../drive/mcp/server-definition.ts';
import {
  conversationsIn,
  importScenarios,
  type ScenarioData,
  scenarioLines,
} from '../../../load/scenarios/formats/conversation/scenario-lines.ts';
import { listedTests } from '../../../load/scenarios/formats/mcp-server/mcp-server-schema.ts';
import { counted } from '../../../shared/format.ts';
import { overwrite } from '../../../shared/redacted-files.ts';
import { usersText } from '../../../shared/redaction/redacted.ts';
import { redactPatterns } from '../../../shared/redaction/secret-patterns.ts';
import { suggestion } from '../../../shared/suggest.ts';
import { firstLine, printable } from '../../../shared/text.ts';
import type { CliCommand } from '../command.ts';
import { type CliContext, write } from '../context.ts';
import { givenOptions } from '../given-options.ts';
import { addRunOptions } from '../options/run-options.ts';
import { textOption } from '../options/values.ts';
import { tierLabel } from '../tier-label.ts';

/** The facts about an MCP scenario that a list shows. */
interface ServerFacts {
  readonly part: NonNullable<Scenario['serverPart']>;
  readonly server: { readonly transport: ServerDefinition['transport']; readonly label: string };
  /** Of a suite. */
  readonly tests?: number;
  /** Of a workflow. */
  readonly steps?: number;
  /** The tools that all steps of a workflow expect together. */
  readonly expectedTools?: number;
}

/** Reads the facts off a scenario; undefined for one that is not about an MCP server. */
async function serverFacts(scenario: Scenario): Promise<ServerFacts | undefined> {
  const { serverPart: part, target } = scenario;
  if (part === undefined) return undefined;
  const definition = (target.config as { readonly server: ServerDefinition }).server;
  const server = { transport: definition.transport, label: redactPatterns(serverLabel(definition)) };
  for await (const { input } of scenario.cases()) {
    return part === 'workflow'
      ? { part, server, ...stepCounts(input as Workflow) }
      : { part, server, tests: listedTests((input as { readonly suite: object }).suite).length };
  }
  return { part, server };
}

/** The facts behind the name of a scenario: `3 tests`, or `2 steps, 3 expected tools`. */
function factsText({ tests, steps = 0, expectedTools = 0 }: ServerFacts): string {
  if (tests !== undefined) return counted(tests, 'test');
  return `${counted(steps, 'step')}, ${counted(expectedTools, 'expected tool')}`;
}

function stepCounts({ steps }: Workflow): Pick<ServerFacts, 'steps' | 'expectedTools'> {
  const expectedTools = steps.reduce((sum, { expectTools = [] }) => sum + expectTools.length, 0);
  return { steps: steps.length, expectedTools };
}

/** Makes a scenario file of each line; good lines are imported although others are bad. */
async function importLines(file: string, output: string | undefined, context: CliContext): Promise<number> {
  if (output === undefined) {
    const hint = 'Give one with -o, such as -o scenarios.';
    throw new AssayError('USAGE', 'No folder for the imported scenarios was given.', { hint });
  }
  const { files, problems } = await importScenarios(file, output, context.cwd);
  await write(context.stdout, files.map((name) => `${name}\n`).join(''));
  if (problems.length > 0) throw new ProblemsError(problems);
  return 0;
}

/** Writes the conversations among some scenarios as they stand in their files. */
async function exportLines(
  file: string,
  scenarios: readonly Scenario[],
  folder: string,
  context: CliContext,
): Promise<number> {
  const chosen = scenarios.filter(({ target }) => target.type === 'conversation');
  if (chosen.length === 0)
    throw new AssayError('NOTHING_TO_RUN', 'None of these scenarios is a conversation.', {
      hint: 'Name scenarios with conversations: other scenarios refer to other files and cannot be exported.',
    });
  const lines: ScenarioData[] = [];
  for (const path of new Set(chosen.map((scenario) => scenario.file))) {
    const names = chosen.filter((scenario) => scenario.file === path).map(({ name }) => name);
    const found = await conversationsIn(path, folder);
    lines.push(...found.filter(({ name }) => names.includes(String(name))));
  }
  if (file === '-') await write(context.stdout, scenarioLines(lines));
  else overwrite(resolve(context.cwd, file), usersText(scenarioLines(lines)));
  const others = scenarios.length - chosen.length;
  const leftOut = others > 0 ? `; ${counted(others, 'other scenario')} left out` : '';
  await write(context.stderr, `${counted(lines.length, 'conversation')} exported${leftOut}\n`);
  return 0;
}

/** `assay list <word>` lists the scenarios of a path; a bare word that is none was meant as the name of a list. */
function assertNoOtherList(args: readonly string[], cwd: string): void {
  const [word = ''] = args;
  if (args.length !== 1 || !/^[\w-]+$/.test(word) || existsSync(resolve(cwd, word))) return;
  const lists = ['scenarios', 'agents', 'models', 'evaluators'];
  throw new AssayError('USAGE', `There is no list, file or folder "${word}".`, {
    hint: `${suggestion(word, lists)} Or name a scenario file or folder.`,
  });
}

/** `assay list scenarios`: what there is to run. */
export const scenarios: CliCommand = {
  configure(command) {
    addRunOptions(command, 'list scenarios');
    command
      .option('--export <file>', 'export the conversations as JSON Lines; - prints them', textOption)
      .option('--import <file>', 'create a scenario file from each line of a JSON Lines file', textOption)
      .option('-o, --output <dir>', 'folder for imported scenarios', textOption)
      .option('--json', 'print one JSON document');
  },
  async run(invocation) {
    const { options, context } = invocation;
    if (typeof options.import === 'string')
      return importLines(options.import, options.output as string | undefined, context);
    assertNoOtherList(invocation.args, context.cwd);
    const project = await openProject(context.cwd, context.env);
    const request = givenOptions(invocation, project);
    const { tier } = request;
    const found = (await selectScenarios(request, project, { env: context.env })).scenarios;
    if (typeof options.export === 'string') return exportLines(options.export, found, project.folder, context);
    const listed = await Promise.all(found.map(async (scenario) => ({ scenario, facts: await factsOf(scenario) })));
    if (options.json) {
      await write(context.stdout, `${JSON.stringify(listed.map(listEntry), null, 2)}\n`);
      return 0;
    }
    const lines = listed.flatMap((item, index) => [...serverLine(item, listed[index - 1]), listLine(item)]);
    await write(
      context.stdout,
      `Available scenarios${tier === undefined ? '' : ` (tier ${tierLabel(tier)})`}:\n${lines.join('\n')}\n`,
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
  const facts = await serverFacts(scenario);
  return facts && { facts, text: factsText(facts) };
}

function listEntry({ scenario, facts }: Listed): Record<string, unknown> {
  const { name, description, file, tags, tier, caseCount, repeat } = scenario;
  return { name, description, file, tags, tier, cases: caseCount, repeat, ...facts?.facts };
}

function listLine({ scenario, facts }: Listed): string {
  const { name, description, tags, tier, caseCount } = scenario;
  const others = tags.filter((tag) => tag !== tierLabel(tier));
  const tagged = others.length > 0 ? ` [${others.join(', ')}]` : '';
  const size = facts ? ` (${facts.text})` : caseCount > 1 ? ` (${caseCount} cases)` : '';
  const about = description ? ` - ${firstLine(description)}` : '';
  return `  [${tierLabel(tier)}] ${name}${tagged}${size}${about}`;
}

/** The server that the following scenarios are about, where it is another than before. */
function serverLine({ scenario, facts }: Listed, before: Listed | undefined): string[] {
  if (!facts || before?.scenario.file === scenario.file) return [];
  const { transport, label } = facts.facts.server;
  return [`  MCP server (${transport}): ${printable(label)}`];
}
