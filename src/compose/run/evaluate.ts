import { relative, resolve } from 'node:path';
import { AssayError } from '../../domain/errors.ts';
import type { ServerPart } from '../../domain/mcp-findings.ts';
import { ProblemsError } from '../../domain/problem.ts';
import { openStore } from '../../keep/store/open-store.ts';
import { eachTrial } from '../../keep/store/store.ts';
import {
  listedTests,
  type McpServerConfig,
  suiteKinds,
} from '../../load/scenarios/formats/mcp-server/mcp-server-schema.ts';
import { readServerConfig } from '../../load/scenarios/formats/mcp-server/read-server-config.ts';
import { parseJsonSource } from '../../load/sources/json-source.ts';
import type { ParsedSource } from '../../load/sources/parsed-source.ts';
import { isModule, readSource } from '../../load/sources/source-file.ts';
import { redactDeep } from '../../shared/redaction/redaction.ts';
import { openProject, type Project } from '../config/project.ts';
import { projectRedaction, serverSecrets } from '../config/redaction.ts';
import {
  type EvaluationReport,
  type ToolHealthResult,
  toolHealthResult,
  type WorkflowEvaluation,
  workflowEvaluation,
} from './evaluation-report.ts';
import { type ProjectRun, runProject } from './run-project.ts';
import { findReporters } from './write-reports.ts';

/** Options beside the config. */
export interface EvaluateOptions {
  /** Logs progress to stderr. */
  readonly debug?: boolean | undefined;
  /** Also prints this report on stdout. */
  readonly reporter?: 'console' | 'json' | 'junit' | undefined;
  /** Asks the judge, or does not, whatever the config says. */
  readonly llmJudge?: boolean | undefined;
  readonly toolHealthOnly?: boolean | undefined;
  readonly workflowsOnly?: boolean | undefined;
  /** Drives the workflows. */
  readonly model?: string | undefined;
  /** Aborting it ends the evaluation early; the report has the results until then. */
  readonly signal?: AbortSignal | undefined;
}

/** Tests an MCP server as a config says, given as an object or by its path; no run is stored. */
export async function evaluate(
  config: string | Readonly<Record<string, unknown>>,
  options: EvaluateOptions = {},
): Promise<EvaluationReport> {
  const { env } = process;
  const project = await openProject(process.cwd(), env);
  const source = await sourceOf(config, project);
  const checked = checkedConfig(source, env);
  const report = { config: withoutSecrets(checked, project, env), timestamp: new Date() };
  const serverParts = wantedParts(options);
  if (!hasAny(checked, serverParts)) return { ...report, evaluations: [], toolHealthResults: [], passed: true };
  await using run = await runProject({
    project,
    openStore: () => openStore('sqlite::memory:', project.folder),
    request: {
      paths: [],
      serverParts,
      judge: options.llmJudge,
      ...(options.model !== undefined && { models: [options.model] }),
    },
    sources: [source],
    env,
    signal: options.signal,
    listeners: options.debug ? [(await import('../../report/reporters/debug-log.ts')).debugLog(printed)] : [],
  });
  if (options.reporter !== undefined) await print(run, options.reporter, project);
  return { ...report, ...(await resultsOf(run, checked)), passed: run.summary.outcome === 'pass' };
}

async function sourceOf(config: string | object, { folder }: Project): Promise<ParsedSource> {
  if (typeof config !== 'string') return parseJsonSource('config', JSON.stringify(config, null, 2));
  const file = relative(folder, resolve(config));
  if (!isModule(file)) return readSource(file, folder);
  const { readScenarioModule } = await import('../../load/scenarios/code/read-code.ts');
  const [first, ...others] = await readScenarioModule(file, folder);
  if (!first || others.length > 0) throw new AssayError('USAGE', `${file} must export one config, not several.`);
  if (!('locate' in first)) throw new ProblemsError(first);
  return first;
}

function checkedConfig(source: ParsedSource, env: NodeJS.ProcessEnv): McpServerConfig {
  const found = { problems: [], warnings: [] };
  const config = readServerConfig(source, env, found);
  if (!config) throw new ProblemsError(found.problems);
  return config;
}

/** The parts of a server that the options ask for; none where all are wanted. */
export function wantedParts({ toolHealthOnly, workflowsOnly }: EvaluateOptions): ServerPart[] {
  return [...(toolHealthOnly ? ['tool' as const] : []), ...(workflowsOnly ? ['workflow' as const] : [])];
}

function hasAny(config: McpServerConfig, wanted: readonly ServerPart[]): boolean {
  const isWanted = (part: ServerPart): boolean => wanted.length === 0 || wanted.includes(part);
  if (isWanted('workflow') && config.workflows.length > 0) return true;
  return suiteKinds.some(({ key, part }) => isWanted(part) && config[key].length > 0);
}

function withoutSecrets(config: McpServerConfig, project: Project, env: NodeJS.ProcessEnv): McpServerConfig {
  const { openaiKey = '', ...rest } = config;
  // The name of a variable is not a secret.
  const written = [openaiKey, ...serverSecrets(config.server)].filter((value) => !value.includes('${'));
  return redactDeep(rest, projectRedaction(project, env, written)) as McpServerConfig;
}

async function print(run: ProjectRun, name: string, { parts }: Project): Promise<void> {
  for (const reporter of findReporters([name], parts.reporters)) {
    for await (const piece of reporter.render(run, { color: false })) process.stdout.write(piece);
  }
}

async function resultsOf(
  { store, summary }: ProjectRun,
  config: McpServerConfig,
): Promise<Pick<EvaluationReport, 'evaluations' | 'toolHealthResults'>> {
  const evaluations: WorkflowEvaluation[] = [];
  const toolHealthResults: ToolHealthResult[] = [];
  const suites = suiteKinds.flatMap(({ key }) => config[key] as readonly Record<string, unknown>[]);
  for await (const record of eachTrial(store, summary.run.runId)) {
    if (record.caseId === 'workflow') evaluations.push(workflowEvaluation(record));
    else {
      const suite = suites.find(({ name }) => name === record.scenario) ?? {};
      toolHealthResults.push(toolHealthResult(record, String(suite.description ?? ''), listedTests(suite).length));
    }
  }
  return { evaluations, toolHealthResults };
}

function printed(line: string): void {
  process.stderr.write(line);
}
