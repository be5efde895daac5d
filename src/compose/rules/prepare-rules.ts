import { dirname, resolve } from 'node:path';
import { type Problem, ProblemsError } from '../../domain/problem.ts';
import type { Case, PartSpec, Scenario } from '../../domain/scenario.ts';
import { evaluatorSpecSchema, namedEvaluators } from '../../load/scenarios/formats/evaluators-section.ts';
import {
  evaluatorsOf,
  type JudgeMeaning,
  readJudgeSection,
  withJudge,
} from '../../load/scenarios/formats/judge-section.ts';
import { below, type ParsedSource } from '../../load/sources/parsed-source.ts';
import { problemsOf } from '../../load/sources/schema-problems.ts';
import type { Evaluator } from '../../score/evaluators/evaluator.ts';
import { sha256 } from '../../shared/ids.ts';
import { canonicalJson } from '../../shared/json.ts';
import { configSource, type Project } from '../config/project.ts';
import type { RuleConfig } from '../config/rules-config.ts';
import { checkScenarios } from '../run/check-scenarios.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** A rule whose evaluators are checked. */
export interface Rule {
  readonly name: string;
  readonly config: RuleConfig;
  /** Several where the file of the rule has several: the trace names one of them. */
  readonly scenarios: readonly Scenario[];
}

/** The rules of a project; anything wrong in any of them is thrown, with its place in the file. */
export async function prepareRules(project: Project, env: Env): Promise<Rule[]> {
  const { rules, problems } = await checkRules(project, env);
  if (problems.length > 0) throw new ProblemsError(problems, 'CONFIG_INVALID');
  return rules;
}

/** The same, with the problems of all rules instead of an error. */
export async function checkRules(
  project: Project,
  env: Env,
): Promise<{ readonly rules: Rule[]; readonly problems: Problem[] }> {
  const written = Object.entries(project.config.rules);
  const rules: Rule[] = [];
  const problems: Problem[] = [];
  const source = written.length === 0 ? undefined : await configSource(project);
  if (!source) return { rules, problems };
  for (const [name, config] of written) {
    const place = below(source, ['rules', name]);
    const found =
      config.scenario === undefined
        ? await inlineScenario(name, config, place, project)
        : await scenariosOfFile(config.scenario, place, project, env);
    if ('problems' in found) problems.push(...found.problems);
    else rules.push({ name, config, scenarios: found.scenarios });
  }
  return { rules, problems };
}

type Found = { readonly scenarios: readonly Scenario[] } | { readonly problems: readonly Problem[] };

async function scenariosOfFile(file: string, place: ParsedSource, project: Project, env: Env): Promise<Found> {
  const { scenarios, problems } = await checkScenarios([file], project, env);
  const at = place.locate(['scenario']);
  if (problems.length > 0) return { problems: problems.map((problem) => atRule(problem, file, at)) };
  if (scenarios.length === 0) return { problems: [{ at, message: `there is no scenario in \`${file}\`` }] };
  const { evaluators } = project.parts;
  const withWork = await firstNeedingWork(scenarios, evaluators);
  if (withWork === undefined) return { scenarios };
  const message = `\`${withWork}\` of \`${file}\` needs the work directory of an agent, which a trace does not have`;
  return { problems: [{ at, message }] };
}

/** A file that is missing is a mistake in the rule. */
function atRule(problem: Problem, file: string, at: Problem['at']): Problem {
  return problem.at.file === file && /not found|does not exist|no such/i.test(problem.message)
    ? { ...problem, at }
    : problem;
}

async function firstNeedingWork(
  scenarios: readonly Scenario[],
  evaluators: readonly Evaluator[],
): Promise<string | undefined> {
  const needWork = new Set(evaluators.filter(needsWork).map(({ type }) => type));
  for (const scenario of scenarios) {
    for await (const { evaluators: specs } of scenario.cases()) {
      const found = specs.find(({ type }) => needWork.has(type));
      if (found) return found.type;
    }
  }
  return undefined;
}

/** Metrics that cannot be measured are null and harm nothing; an assertion would make every trace an error. */
function needsWork({ needs, kind, readsTraceOnly }: Evaluator): boolean {
  return kind === 'assertion' && needs.includes('workspace') && readsTraceOnly !== true;
}

async function inlineScenario(name: string, config: RuleConfig, place: ParsedSource, project: Project): Promise<Found> {
  const evaluators = checkedEvaluators(config.evaluators ?? [], place, project.parts.evaluators);
  if ('problems' in evaluators) return evaluators;
  const registered = project.parts.evaluators;
  const judge = await readJudgeSection(
    config.judge,
    place,
    project.folder,
    false,
    evaluatorsOf(evaluators.specs, registered),
  );
  if (!('choice' in judge)) return { problems: judge };
  const specs = withJudge(evaluators.specs, judge, registered);
  const assertions = new Set(registered.filter(({ kind }) => kind === 'assertion').map(({ type }) => type));
  if (!specs.some(({ type }) => assertions.has(type))) {
    const message = `the rule "${name}" asserts nothing, so no trace could be judged`;
    return { problems: [{ at: place.locate([]), message, hint: 'Add an assertion or a `judge`.' }] };
  }
  return { scenarios: [scenarioOf(name, specs, judge, place, project)] };
}

/** Evaluators of a trace: it has no work directory, and no direct answer of a tool. */
function checkedEvaluators(
  written: readonly unknown[],
  place: ParsedSource,
  evaluators: readonly Evaluator[],
): { readonly specs: readonly PartSpec[] } | { readonly problems: readonly Problem[] } {
  if (written.length === 0) return { specs: [] };
  const usable = evaluators.filter(({ needs }) => !needs.includes('workspace') && !needs.includes('call-answer'));
  const item = evaluatorSpecSchema(namedEvaluators({ evaluators: written }, usable));
  const specs: PartSpec[] = [];
  const problems: Problem[] = [];
  for (const [index, each] of written.entries()) {
    const parsed = item.safeParse(each);
    if (parsed.success) specs.push(parsed.data as PartSpec);
    else problems.push(...problemsOf(parsed.error, place, item, ['evaluators', index]));
  }
  return problems.length > 0 ? { problems } : { specs };
}

function scenarioOf(
  name: string,
  evaluators: readonly PartSpec[],
  judge: JudgeMeaning,
  { file }: ParsedSource,
  { folder, config }: Project,
): Scenario {
  const only: Case = { caseId: 'trace', input: undefined, expected: undefined, evaluators };
  return {
    name,
    description: '',
    file,
    directory: dirname(resolve(folder, file)),
    tags: [],
    tier: 0,
    repeat: 1,
    timeoutMs: config.timeoutSecs * 1_000,
    target: { type: 'collected-trace', config: {} },
    judge: judge.choice,
    variants: [{}],
    composite: undefined,
    caseCount: 1,
    contentHash: sha256(canonicalJson([evaluators, judge.choice])),
    async *cases() {
      yield only;
    },
  };
}
