import { basename } from 'node:path';
import { browserServer, pageType } from '../../../../domain/browser.ts';
import type { Problem } from '../../../../domain/problem.ts';
import type { PartSpec } from '../../../../domain/scenario.ts';
import { listedFaults } from '../../../../domain/tool-control/faults.ts';
import type { CliToolConfig } from '../../../../drive/targets/agent-task/task-config.ts';
import { didYouMean } from '../../../../shared/suggest.ts';
import type { DataPath, ParsedSource } from '../../../sources/parsed-source.ts';
import { faultProblems } from '../faults-section.ts';
import { missingKey } from '../tolerant-parse.ts';
import type { FoundHarnesses } from './harness-section.ts';
import type { LlmToolTestFile, LlmToolTestReading } from './llm-tool-test-schema.ts';
import type { SkillArms } from './skills-section.ts';

/** The program under test, from the scenario, the config and the command line; without one skills, a harness or pages are. */
type ResolvedTarget = NonNullable<Awaited<ReturnType<typeof resolveTarget>>>;

type Section = LlmToolTestFile['target'];

const configHint = 'Add `target: { binary: … }`, or a `[target]` to llm-tool-test-config.toml.';

/** The target of a scenario; the config fills in missing settings of the same program. */
export async function resolveTarget(
  { target: section, skills, harness, browser }: Pick<LlmToolTestFile, 'target' | 'skills' | 'harness' | 'browser'>,
  reading: LlmToolTestReading,
) {
  const { source, defaults, found } = reading;
  const own = typeof section === 'object' ? section : undefined;
  const binary = defaults.targetBinary ?? own?.binary ?? defaults.target?.binary;
  if (binary === undefined && [skills, harness, browser].every((subject) => subject === undefined)) {
    found.problems.push(noBinary(section, source));
    return undefined;
  }
  const isShared = own?.binary === undefined || own.binary === defaults.target?.binary;
  const shared = isShared ? defaults.target : undefined;
  // A text that is blank is left to the config too.
  const text = (key: 'command_pattern' | 'health_check') => [own?.[key], shared?.[key]].find((each) => each?.trim());
  const commandPattern = text('command_pattern');
  if (commandPattern !== undefined) await checkPattern(commandPattern, reading);
  return {
    binary,
    binaries: own?.binaries ?? shared?.binaries ?? [],
    commandPattern,
    healthCheck: text('health_check'),
    healthCheckAfter: own?.health_check_after ?? shared?.health_check_after,
    env: { ...shared?.env, ...own?.env },
    inputs: own?.inputs ?? shared?.inputs ?? [],
    ...(own?.state && { state: own.state }),
  };
}

/** An invalid pattern finds no commands, as in llm-tool-test; a warning says so. */
async function checkPattern(pattern: string, { source, found }: LlmToolTestReading): Promise<void> {
  const { problemOfPattern } = await import('../../../../shared/patterns.ts');
  const reason = problemOfPattern(pattern);
  if (reason === undefined) return;
  const message = `invalid command pattern, which finds no commands: ${reason}`;
  found.warnings.push({ at: source.locate(['target', 'command_pattern']), message });
}

function noBinary(section: Section, source: ParsedSource): Problem {
  if (section === undefined) return missingKey(source, [], 'target', configHint);
  if (typeof section === 'object') return missingKey(source, ['target'], 'binary', configHint);
  const message = '`target` is `from_config`, but the config has no `target`';
  return { at: source.locate(['target']), message, hint: configHint };
}

/** Paths of the template, the guidance and the skills. */
interface FoundPaths {
  readonly template: string | undefined;
  readonly guidance: ReadonlyMap<string, string>;
  readonly skills: SkillArms;
  readonly harness: FoundHarnesses;
  readonly dockerfile: string | undefined;
}

/** The config of the target that a file describes. */
export function cliToolConfig(file: LlmToolTestFile, target: ResolvedTarget, paths: FoundPaths): CliToolConfig {
  return {
    ...target,
    prompt: promptOf(file),
    template: paths.template,
    setup: file.setup?.commands ?? [],
    postScripts: file.scripts.post.map(({ command, timeout_secs: timeoutSecs }) => ({ command, timeoutSecs })),
    graders: file.evaluation?.graders,
    ...(file.evaluation?.proves !== undefined && { proves: file.evaluation.proves }),
    ...(file.evaluation?.network && { graderNetwork: file.evaluation.network }),
    guidance: Object.fromEntries(paths.guidance),
    skills: Object.fromEntries([...paths.skills].map(([arm, skills]) => [arm, [...skills]])),
    ...(file.harness && { harness: { ...paths.harness.configs } }),
    solution: file.solution,
    maxTurns: file.run.max_turns,
    maxTokens: file.cost.max_tokens,
    maxUsd: file.cost.max_usd,
    reuse: file.cost.cache,
    inputs: [...target.inputs, ...file.inputs],
    isolation: file.isolation,
    image: file.image,
    dockerfile: paths.dockerfile,
    network: file.network,
    mcpServers: file.mcp_servers,
    ...(file.browser && { browser: file.browser }),
    ...(Object.keys(file.subsets).length > 0 && { subsets: file.subsets }),
  };
}

/** Text of the task. */
export function promptOf({ task }: LlmToolTestFile): string {
  return typeof task === 'string' ? task : (task?.prompt ?? '');
}

/** Problems that the target finds in its config, with their positions in the file. */
export function targetProblems(config: CliToolConfig, { source, context }: LlmToolTestReading): Problem[] {
  const kind = context.parts.targets.find(({ type }) => type === 'cli-tool');
  const issues = kind?.check?.(config, { directory: context.directory }) ?? [];
  return issues.map(({ path: [first, ...rest], message }) => {
    const place = placeInFile[String(first)] ?? [];
    return { at: source.locate([...place, ...rest]), message };
  });
}

const placeInFile: Readonly<Record<string, DataPath>> = {
  binary: ['target', 'binary'],
  binaries: ['target', 'binaries'],
  commandPattern: ['target', 'command_pattern'],
  healthCheck: ['target', 'health_check'],
  healthCheckAfter: ['target', 'health_check_after'],
  env: ['target', 'env'],
  prompt: ['task', 'prompt'],
  template: ['template_folder'],
  setup: ['setup', 'commands'],
  postScripts: ['scripts', 'post'],
  guidance: ['guidance'],
  skills: ['skills'],
  harness: ['harness'],
  solution: ['solution'],
  maxTurns: ['run', 'max_turns'],
  maxTokens: ['cost', 'max_tokens'],
  maxUsd: ['cost', 'max_usd'],
  inputs: ['inputs'],
  isolation: ['isolation'],
  image: ['image'],
  dockerfile: ['dockerfile'],
  network: ['network'],
  mcpServers: ['mcp_servers'],
  browser: ['browser'],
  subsets: ['subsets'],
};

/** Assertions on pages without a browser, and a server whose name the browser has. */
export function browserProblems(
  { browser, mcp_servers }: LlmToolTestFile,
  evaluators: readonly PartSpec[],
  { source }: LlmToolTestReading,
): Problem[] {
  if (browser === undefined) {
    if (!evaluators.some(({ type }) => type === pageType)) return [];
    const hint = 'Add `browser: { start: … }`, or a `site` that serves the pages.';
    return [{ at: source.locateKey([], 'evaluators'), message: `\`${pageType}\` needs a \`browser\``, hint }];
  }
  if (!(browserServer in mcp_servers)) return [];
  const message = `\`${browserServer}\` is the name of the server by which the agent uses its browser`;
  return [{ at: source.locateKey(['mcp_servers'], browserServer), message, hint: 'Give the server another name.' }];
}

/** Rules for programs that are not under test, or that cannot be followed where the trial runs. */
export function controlProblems(
  { tools = {}, faults, isolation, mcp_servers }: LlmToolTestFile,
  { binary, binaries }: CliToolConfig,
  { source }: LlmToolTestReading,
): Problem[] {
  const programs = [...(binary === undefined ? [] : [binary]), ...binaries].map((program) => basename(program));
  const unknown = Object.keys(tools).filter((name) => !programs.includes(name));
  const problems: Problem[] = unknown.map((name) => ({
    at: source.locateKey(['tools'], name),
    message: `\`${name}\` is not a program under test`,
    hint: didYouMean(name, programs) ?? `Known: \`${programs.join('`, `')}\`.`,
  }));
  const servers = Object.keys(mcp_servers);
  const hasTools = programs.length > 0;
  const borders = {
    usual: 'cli',
    ...(hasTools && { cli: { tools: programs } }),
    ...(servers.length > 0 && { mcp: { servers } }),
    model: {},
  } as const;
  problems.push(...faultProblems(faults, borders, source));
  if (isolation !== 'container') return problems;
  const breaksPrograms = listedFaults(faults ?? []).some(({ fault: { border = 'cli' } }) => border === 'cli');
  const unusable = [...(Object.keys(tools).length > 0 ? ['tools'] : []), ...(breaksPrograms ? ['faults'] : [])];
  for (const key of unusable) {
    const message = `\`${key}\`${key === 'faults' ? ' of programs' : ''} cannot be used with \`isolation: container\``;
    problems.push({ at: source.locateKey([], key), message });
  }
  return problems;
}
