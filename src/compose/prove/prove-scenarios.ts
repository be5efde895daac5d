import { existsSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, isAbsolute, join, normalize } from 'node:path';
import { AssayError } from '../../domain/errors.ts';
import type { Problem } from '../../domain/problem.ts';
import type { Case, PartSpec, Scenario } from '../../domain/scenario.ts';
import type { FoundAgent } from '../../drive/agents/agent.ts';
import type { AgentWork } from '../../drive/targets/agent-task/agent-work.ts';
import { executedWords } from '../../drive/targets/agent-task/executed-words.ts';
import { standInAgent } from '../../drive/targets/agent-task/stand-in-agent.ts';
import type { CliToolConfig } from '../../drive/targets/agent-task/task-config.ts';
import { Threads } from '../../drive/targets/call/threads.ts';
import { StampedTrace } from '../../drive/targets/stamped-trace.ts';
import type { Evaluator } from '../../score/evaluators/evaluator.ts';
import type { Project } from '../config/project.ts';
import { ProjectAgents } from '../config/project-agents.ts';
import { projectRedaction, RunRedaction } from '../config/redaction.ts';
import { ProjectJudging } from '../judge/judging.ts';
import { UntouchedGates } from '../run/untouched-gates.ts';
import { assertionsOf, namesOf, StandInTrials, trialOf } from './passed-stand-ins.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Problems that were found by trying scenarios with an agent that does nothing. */
export interface ProvenScenarios {
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
  readonly proven: number;
}

/** Only the first cases of a dataset are tried, because cases share their evaluators. */
const mostCases = 5;

/** Tries each scenario with an agent that does nothing, and with its solution; no model is called. */
export async function proveScenarios(
  scenarios: readonly Scenario[],
  project: Project,
  env: Env,
): Promise<ProvenScenarios> {
  const problems: Problem[] = [];
  const warnings: Problem[] = [];
  await using judging = new ProjectJudging(project, {}, env);
  const gates = new UntouchedGates(project.parts.evaluators, judging, {
    env,
    updatesGolden: false,
    redact: projectRedaction(project, env),
  });
  const prover = new Prover(project, env, gates, judging);
  for (const scenario of scenarios) {
    const found = await prover.prove(scenario);
    problems.push(...found.problems);
    warnings.push(...found.warnings);
  }
  return { problems, warnings, proven: scenarios.length };
}

interface Found {
  readonly problems: Problem[];
  readonly warnings: Problem[];
}

class Prover {
  readonly #project: Project;
  readonly #env: Env;
  readonly #gates: UntouchedGates;
  readonly #judging: ProjectJudging;
  readonly #evaluators: ReadonlyMap<string, Evaluator>;
  readonly #standIns: StandInTrials;

  constructor(project: Project, env: Env, gates: UntouchedGates, judging: ProjectJudging) {
    this.#project = project;
    this.#env = env;
    this.#gates = gates;
    this.#judging = judging;
    this.#standIns = new StandInTrials(project, gates);
    this.#evaluators = new Map(project.parts.evaluators.map((evaluator) => [evaluator.type, evaluator]));
  }

  async prove(scenario: Scenario): Promise<Found> {
    const found: Found = { problems: [], warnings: [] };
    let tried = 0;
    for await (const item of scenario.cases()) {
      if (++tried > mostCases) break;
      if (scenario.target.type === 'cli-tool') await this.#proveTask(scenario, item, found);
      else await this.#proveAnswers(scenario, item, found);
    }
    return found;
  }

  async #proveTask(scenario: Scenario, item: Case, found: Found): Promise<void> {
    const at = { file: scenario.file, line: 1, column: 1 };
    const parts = this.#assertions(item).filter(({ type }) => this.#evaluators.get(type)?.isGate);
    const { unsupported = [] } = (scenario.target.config ?? {}) as Partial<CliToolConfig>;
    if (parts.length === 0 || unsupported.length > 0) return;
    const idle = await this.#attempt(scenario, item, parts, 'true');
    if ('fault' in idle) {
      found.problems.push({ at, message: `"${scenario.name}" could not be tried: ${idle.fault}` });
      return;
    }
    const held = idle.answers.filter(({ state }) => state === 'pass');
    const isDecisive = this.#assertions(item, true).length === parts.length;
    const { proves } = (scenario.target.config ?? {}) as Partial<CliToolConfig>;
    const hasConduct = parts.some(({ type }) => this.#evaluators.get(type)?.judgesConduct);
    if (held.length === parts.length && isDecisive && proves !== false && !hasConduct) {
      const message = `"${scenario.name}" cannot fail: every gate holds before the agent has done anything`;
      found.problems.push({ at, message, hint: 'Add a gate that fails until the work is done.' });
    } else {
      found.warnings.push(
        ...held.map(({ type, reason }) => ({
          at,
          message: `the gate ${type} of "${scenario.name}" holds before the agent has done anything: ${reason}`,
        })),
      );
    }
    await this.#proveSolution(scenario, item, parts, found);
  }

  async #proveSolution(scenario: Scenario, item: Case, parts: readonly PartSpec[], found: Found): Promise<void> {
    const { solution, solutionFolder } = (scenario.target.config ?? {}) as Partial<CliToolConfig>;
    if (typeof solution !== 'string') return;
    const at = { file: scenario.file, line: 1, column: 1 };
    const solved = await this.#attempt(scenario, item, parts, solution, solutionFolder && [solutionFolder]);
    if ('fault' in solved) {
      found.problems.push({ at, message: `the solution of "${scenario.name}" could not be tried: ${solved.fault}` });
      return;
    }
    for (const { type, state, reason } of solved.answers) {
      if (state === 'pass') continue;
      const message = `the solution of "${scenario.name}" does not pass the gate ${type}: ${reason}`;
      found.problems.push({ at, message, hint: 'Correct the `solution`, or the gate.' });
    }
  }

  /** Runs a shell command in place of the agent, in its own work directory. */
  async #attempt(
    scenario: Scenario,
    item: Case,
    parts: readonly PartSpec[],
    command: string,
    mounts?: CliToolConfig['mounts'],
  ): Promise<Tried> {
    const { agentWorkOf } = await import('../run/agent-work.ts');
    const { attemptTask } = await import('../../drive/targets/agent-task/attempt-task.ts');
    const { cliToolConfigSchema, cliToolTask } = await import('../../drive/targets/agent-task/task-config.ts');
    const agents = new ProjectAgents(this.#project, this.#env);
    const redaction = new RunRedaction(this.#project, this.#env);
    redaction.learn([scenario]);
    const folder = await mkdtemp(join(tmpdir(), 'assay-prove-'));
    const trace = new StampedTrace();
    const outcome = { failure: undefined as string | undefined };
    const work: AgentWork = {
      ...(await agentWorkOf(this.#project, agents, this.#env, undefined, redaction, this.#judging, noModel)),
      agents: { find: async () => standIn(command, scenario.directory, (reason) => (outcome.failure = reason)) },
      artifactsFolder: folder,
      folderOf: () => join(folder, 'trial'),
      proveGates: undefined,
    };
    const trial = trialOf(scenario, item);
    const stopping = new AbortController();
    const stop = { isStopped: false, signal: stopping.signal, onStop: () => undefined };
    await using threads = new Threads();
    const context = { directory: scenario.directory, env: this.#env, threads, signal: stopping.signal };
    const config = cliToolTask({ ...cliToolConfigSchema.parse(scenario.target.config), mounts }, {}, this.#env);
    try {
      const { workspace, settle } = await attemptTask({ trial, config, work, context, trace, stop });
      try {
        if (outcome.failure !== undefined) return { fault: outcome.failure };
        return { answers: await this.#gates.answers(trial, parts, trace.events, workspace) };
      } finally {
        await settle();
      }
    } catch (error) {
      return { fault: error instanceof Error ? error.message : String(error) };
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  async #proveAnswers(scenario: Scenario, item: Case, found: Found): Promise<void> {
    const at = { file: scenario.file, line: 1, column: 1 };
    for (const { test, passed, tried } of await this.#standIns.evaluate(scenario, item)) {
      if (passed.length === 0) continue;
      const which = `the ${test === undefined ? `case "${item.caseId}"` : `test "${test}"`} of "${scenario.name}"`;
      const empty = passed.filter(({ isEmpty }) => isEmpty);
      // The promises of a tool about its answers are not in the file of a suite.
      if (test === undefined && empty.length === tried.filter(({ isEmpty }) => isEmpty).length) {
        const message = `${which} cannot fail: it passes with ${namesOf(empty)}`;
        found.problems.push({ at, message, hint: 'Add an assertion that only a correct answer passes.' });
      } else found.warnings.push({ at, message: `${which} passes with ${namesOf(passed)}` });
    }
  }

  #assertions(item: Case, all = false): readonly PartSpec[] {
    return assertionsOf(item, this.#evaluators, all);
  }
}

type Tried =
  | { readonly answers: readonly { readonly type: string; readonly state: string; readonly reason: string }[] }
  | { readonly fault: string };

/** An agent that runs one shell command in the work directory, with the tool on PATH. */
function standIn(command: string, scenarioFolder: string, onFailure: (reason: string) => void): FoundAgent {
  return standInAgent('stand-in', 'runs one command', async (session) => {
    const printed: string[] = [];
    const onLine = (line: string): void => void printed.push(line);
    await using _files = await layScripts(command, scenarioFolder, session.workDirectory);
    const exit = await session.start({ argv: ['/bin/sh', '-c', command], env: {}, stdin: '', onLine }).ended;
    const isGood = exit.exitCode === 0;
    if (!isGood) onFailure(`it ended with exit code ${exit.exitCode}: ${printed.slice(-3).join(' ')}`);
    return { exit, completed: isGood, reason: null, fault: undefined };
  });
}

/** Puts scripts of a solution that lie beside the scenario into the work directory, for as long as it runs. */
async function layScripts(command: string, from: string, directory: string): Promise<AsyncDisposable> {
  const { programs, scripts } = executedWords(command);
  const relative = [...programs, ...scripts]
    .filter((word) => !isAbsolute(word))
    .map((word) => normalize(word))
    .filter((path) => !path.startsWith('..') && existsSync(join(from, path)) && !existsSync(join(directory, path)));
  const laid = relative.map((path) => (dirname(path) === '.' ? path : (path.split('/')[0] ?? path)));
  const fresh = [...new Set(laid)].filter((path) => !existsSync(join(directory, path)));
  for (const path of fresh) await cp(join(from, path), join(directory, path), { recursive: true });
  const remove = (path: string) => rm(join(directory, path), { recursive: true, force: true });
  return { [Symbol.asyncDispose]: async () => void (await Promise.all(fresh.map(remove))) };
}

/** The stand-in of an agent has no model. */
async function noModel(): Promise<never> {
  throw new AssayError('INTERNAL', 'The stand-in for an agent requested a model.');
}
