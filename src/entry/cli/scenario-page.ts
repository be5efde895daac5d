import type { Project } from '../../compose/config/project.ts';
import { checkScenarios } from '../../compose/run/check-scenarios.ts';
import { AssayError, formatPosition } from '../../domain/errors.ts';
import type { Problem } from '../../domain/problem.ts';
import type { TrialRecord } from '../../domain/record.ts';
import type { Scenario } from '../../domain/scenario.ts';
import { variantText } from '../../domain/variant-text.ts';
import type { Store } from '../../keep/store/store.ts';
import { trialDocument } from '../../report/reporters/json.ts';
import { counted, formatDuration } from '../../shared/format.ts';
import { redactPatterns } from '../../shared/redaction/secret-patterns.ts';
import { shellWord } from '../../shared/shell-words.ts';
import { didYouMean } from '../../shared/suggest.ts';
import { firstLine, printable } from '../../shared/text.ts';
import { tierLabel } from './tier-label.ts';

interface PageRequest {
  readonly project: Project;
  readonly store: Store;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly asJson: boolean;
}

/** A dataset may have millions of cases. */
const mostCases = 20;
const mostTrials = 20;

/** A scenario of the project with its last trials, whether or not it ran, and whether or not its file still exists. */
export async function scenarioPage(name: string, { project, store, env, asJson }: PageRequest): Promise<string> {
  const { scenarios, problems } = await checkScenarios(project.config.scenarios, project, env);
  const found = scenarios.filter((scenario) => scenario.name === name);
  const trials = await store.findTrialsOfScenario(name, mostTrials);
  if (found.length === 0 && trials.length === 0) throw notFound(name, scenarios, problems);
  const details = await Promise.all(found.map(scenarioDetails));
  if (asJson) {
    const document = { schema: 'assay.scenario/1', name, scenarios: details, trials: trials.map(trialDocument) };
    return `${JSON.stringify(document, null, 2)}\n`;
  }
  const pages = details.map((each) => detailLines(each).join('\n'));
  const gone = `"${printable(name)}" is not among the scenarios of this project; these trials are stored.`;
  return `${[...(pages.length === 0 ? [gone] : pages), trialLines(trials).join('\n')].join('\n\n')}\n`;
}

function notFound(name: string, scenarios: readonly Scenario[], [problem]: readonly Problem[]): AssayError {
  const unreadable =
    problem && `Some scenario files could not be read, the first at ${formatPosition(problem.at)}: ${problem.message}.`;
  const names = scenarios.map((scenario) => scenario.name);
  const inFile = scenarios.find(({ file }) => file === name.replace(/^\.\//, ''));
  if (inFile)
    return new AssayError('NOT_FOUND', `"${name}" is a file, not a run, trial or scenario.`, {
      hint: `Name the scenario in it: assay show ${shellWord(inFile.name)}`,
    });
  return new AssayError('NOT_FOUND', `There is no run, trial or scenario "${name}".`, {
    hint: didYouMean(name, names) ?? unreadable ?? 'List them with `assay runs` and `assay list scenarios`.',
  });
}

type ScenarioDetails = Awaited<ReturnType<typeof scenarioDetails>>;

async function scenarioDetails(scenario: Scenario) {
  const { name, description, file, tags, tier, repeat, timeoutMs, target, variants, judge, caseCount } = scenario;
  const { prompt } = target.config as { readonly prompt?: unknown };
  const cases = await firstCases(scenario);
  const judges = judge.models.length > 0 || judge.usualModel === undefined ? judge.models : [judge.usualModel];
  return {
    ...{ name, description, file, tags, tier, target: target.type },
    task: typeof prompt === 'string' ? redactPatterns(prompt) : null,
    ...{ caseCount, repeat, timeoutMs, variants, judges, cases },
    trialsPerRun: caseCount * repeat * Math.max(1, variants.length),
    contentHash: scenario.contentHash,
  };
}

interface CaseDetails {
  readonly caseId: string;
  readonly expectedBehavior: string | null;
  /** Types, in the order of the scenario. */
  readonly evaluators: readonly string[];
}

async function firstCases(scenario: Scenario): Promise<CaseDetails[]> {
  const cases: CaseDetails[] = [];
  for await (const { caseId, expectedBehavior = null, evaluators } of scenario.cases()) {
    cases.push({ caseId, expectedBehavior, evaluators: evaluators.map(({ type }) => type) });
    if (cases.length === mostCases) break;
  }
  return cases;
}

function detailLines(details: ScenarioDetails): string[] {
  const { name, description, file, tags, tier, target, task, caseCount, repeat, timeoutMs, variants, judges } = details;
  const named = variants.map(variantText).filter((text) => text !== '');
  const size = `${counted(caseCount, 'case')} × ${counted(repeat, 'repeat')} × ${counted(Math.max(1, variants.length), 'variant')}`;
  const facts: readonly (readonly [string, string])[] = [
    ['file', file],
    ['tier', tierLabel(tier)],
    ['tags', tags.join(', ')],
    ['target', target],
    ['variants', named.join(' | ')],
    ['judge', judges.join(', ')],
    ['trials', `${details.trialsPerRun} per run: ${size}`],
    ['time limit', `${formatDuration(timeoutMs)} per trial`],
  ];
  return [
    `Scenario: ${printable(name)}`,
    ...indented(description),
    ...facts.flatMap(([label, text]) => (text === '' ? [] : [`  ${label.padEnd(10)}  ${printable(text)}`])),
    ...(task === null ? [] : ['', 'Task', ...indented(task)]),
    ...caseLines(details),
  ];
}

function caseLines({ cases, caseCount }: ScenarioDetails): string[] {
  const lines = cases.map(({ caseId, expectedBehavior, evaluators }) => {
    const expected = expectedBehavior === null ? '' : ` - ${firstLine(expectedBehavior)}`;
    return `  ${printable(`${caseId}${expected}`)} [${evaluatorCounts(evaluators)}]`;
  });
  const left = caseCount - cases.length;
  return ['', 'Cases and their evaluators', ...lines, ...(left > 0 ? [`  … and ${counted(left, 'more case')}`] : [])];
}

/** `criteria, file-exists × 2`, in the order of the first of each. */
function evaluatorCounts(types: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const type of types) counts.set(type, (counts.get(type) ?? 0) + 1);
  return [...counts].map(([type, count]) => (count === 1 ? type : `${type} × ${count}`)).join(', ') || 'none';
}

function trialLines(trials: readonly TrialRecord[]): string[] {
  if (trials.length === 0) return ['No trial of this scenario is stored. Start one with `assay run`.'];
  const lines = trials.map(
    ({ outcome, trialId, runId, caseId, reason }) =>
      `  ${outcome.padEnd(7)}  ${trialId}  ${runId}  ${printable(`${caseId}  ${reason}`)}`,
  );
  return ['Last trials', ...lines];
}

function indented(text: string): string[] {
  const lines = text.trimEnd();
  return lines === '' ? [] : lines.split('\n').map((line) => `  ${printable(line)}`);
}
