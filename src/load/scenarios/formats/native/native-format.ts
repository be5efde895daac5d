import * as z from 'zod';
import { onlyInput } from '../../../../domain/only-case.ts';
import type { Problem } from '../../../../domain/problem.ts';
import type { Case, PartSpec } from '../../../../domain/scenario.ts';
import type { TargetKind } from '../../../../drive/targets/target.ts';
import { sha256 } from '../../../../shared/ids.ts';
import { canonicalJson, isRecord } from '../../../../shared/json.ts';
import { nearestName, suggestion } from '../../../../shared/suggest.ts';
import type { ParsedSource } from '../../../sources/parsed-source.ts';
import { problemsOf } from '../../../sources/schema-problems.ts';
import { Dataset } from '../../datasets/dataset.ts';
import { rowsOf } from '../../datasets/dataset-file.ts';
import {
  caseByCase,
  commonParts,
  type ReadContext,
  type ReadScenario,
  type ScenarioFormat,
  trialLimitMs,
} from '../../scenario-format.ts';
import { withCaseRules, withoutCi } from '../ci-section.ts';
import { namedEvaluators, unmetNeeds } from '../evaluators-section.ts';
import { readToolControl, withFaultSets } from '../faults-section.ts';
import { evaluatorsOf, readJudgeSection, withJudge } from '../judge-section.ts';
import { identityOf } from '../scenario-identity.ts';
import { FilledEvaluators } from './filled-evaluators.ts';
import {
  blankExpectations,
  borderOf,
  comparedColumns,
  controlProblems,
  duplicateNames,
  oneSourceOfCases,
  sentAnswers,
  unjudged,
} from './native-problems.ts';
import { callEvaluators, type NativeScenario, nativeSchema } from './native-schema.ts';

/** The two lists of boolean expressions that a scenario or a case may have. */
interface CriteriaLists {
  readonly passCriteria: readonly string[];
  readonly failCriteria: readonly string[];
}

/** Evaluators of each case: those of the scenario, and its own criteria in addition. */
function caseEvaluators(filled: FilledEvaluators, shared: CriteriaLists): (own: CaseFields) => readonly PartSpec[] {
  // One list for all cases with the same evaluators and no criteria, so the evaluators are prepared once.
  const lists = new WeakMap<readonly PartSpec[], readonly PartSpec[]>();
  return (own) => {
    const evaluators = filled.for(own);
    if (own.passCriteria.length === 0 && own.failCriteria.length === 0) {
      const list = lists.get(evaluators) ?? withCriteria(evaluators, shared);
      lists.set(evaluators, list);
      return list;
    }
    return withCriteria(evaluators, {
      passCriteria: [...shared.passCriteria, ...own.passCriteria],
      failCriteria: [...shared.failCriteria, ...own.failCriteria],
    });
  };
}

function withCriteria(evaluators: readonly PartSpec[], criteria: CriteriaLists): readonly PartSpec[] {
  if (criteria.passCriteria.length === 0 && criteria.failCriteria.length === 0) return evaluators;
  return [{ type: 'criteria', config: criteria }, ...evaluators];
}

const commonKeys = ['name', 'input', 'cases'];
/** Distinctive keys: misspellings of them count too. */
const distinctiveKeys = ['dataset', 'passCriteria', 'failCriteria', 'evaluators'];

/** Whether data looks like a native scenario, possibly with misspelt keys. */
export function looksNative(value: unknown): boolean {
  if (!isRecord(value)) return false;
  if ('call' in value) return true;
  // An input of the judge protocol has criteria too.
  if ('testScenario' in value || 'actualResult' in value) return false;
  return Object.entries(value).filter(([key, part]) => isDistinctive(key, part)).length >= 2;
}

function isDistinctive(key: string, part: unknown): boolean {
  if (commonKeys.includes(key) || nearestName(key, distinctiveKeys) !== undefined) return true;
  return isRecord(part) && nearestName(key, ['call']) !== undefined;
}

/** Assay's own scenario files: a tool that is called directly with one input, several cases or a dataset. */
export const nativeFormat = {
  name: 'assay',
  recognises: looksNative,
  async read(source, context) {
    const kind = chooseTarget(source.value, context.parts.targets);
    const evaluators = namedEvaluators(source.value, callEvaluators(context.parts.evaluators));
    const schema = nativeSchema({ evaluators }, kind?.configSchema ?? z.unknown(), borderOf(kind));
    const parsed = schema.safeParse(source.value);
    const problems = [
      ...(parsed.success ? [] : problemsOf(parsed.error, source, schema)),
      ...(kind ? [] : noTargetProblem(source, context.parts.targets)),
    ];
    if (!parsed.success || !kind || problems.length > 0) return problems;
    return buildScenario(parsed.data, kind, source, context);
  },
} satisfies ScenarioFormat;

function chooseTarget(value: unknown, targets: readonly TargetKind[]): TargetKind | undefined {
  const call = isRecord(value) ? value.call : undefined;
  return isRecord(call) ? targets.find(({ callKey }) => callKey !== null && callKey in call) : undefined;
}

function noTargetProblem(source: ParsedSource, targets: readonly TargetKind[]): Problem[] {
  const call = isRecord(source.value) ? source.value.call : undefined;
  if (call === undefined) return [];
  const keys = targets.flatMap(({ callKey }) => callKey ?? []);
  const message = `\`call\` must be an object with one of \`${keys.join('`, `')}\``;
  if (typeof call === 'string') return [{ at: source.locate(['call']), message, hint: callHint(call) }];
  const written = isRecord(call) ? Object.keys(call) : [];
  const misspelt = written.find((key) => nearestName(key, keys) !== undefined);
  if (misspelt === undefined) return [{ at: source.locate(['call']), message }];
  return [{ at: source.locateKey(['call'], misspelt), message, hint: suggestion(misspelt, keys) }];
}

/** The called part, with the key that its text most likely belongs to. */
function callHint(text: string): string {
  const key = /^https?:/.test(text) ? 'url' : /\.[cm]?[jt]s$/.test(text) ? 'module' : 'command';
  return `Write \`call: { ${key}: ${JSON.stringify(text)} }\`.`;
}

async function buildScenario(
  file: NativeScenario,
  kind: TargetKind,
  source: ParsedSource,
  context: ReadContext,
): Promise<ReadScenario | readonly Problem[]> {
  const { parts, defaults, directory, folder } = context;
  const target: PartSpec = { type: kind.type, config: file.call };
  const { passCriteria, failCriteria } = file;
  const listed = evaluatorsOf(file.evaluators, parts.evaluators);
  const judge = await readJudgeSection(file.judge, source, folder, defaults.isJudgeForced ?? false, listed);
  if (!('choice' in judge)) return judge;
  const evaluators = withJudge(file.evaluators, judge, parts.evaluators);
  const filled = new FilledEvaluators(evaluators, parts.evaluators, source);
  const judgedBy = caseEvaluators(filled, { passCriteria, failCriteria });
  const dataset = await datasetOf(file, source, directory, judgedBy, filled);
  const inline = inlineCases(file, judgedBy);
  const problems = [
    ...(kind.check?.(file.call, { directory }) ?? []).map(({ path, ...issue }) => ({
      at: source.locate(['call', ...path]),
      ...issue,
    })),
    ...oneSourceOfCases(file, source),
    ...duplicateNames(file, source),
    ...unmetNeeds(file.evaluators, kind.type, { source, context }),
    ...unjudged(inline, source),
    ...inline.flatMap((item) => filled.problemsOf(item, whoseValues(item))),
    ...blankExpectations(inline, file, source),
    ...controlProblems(file, kind, source),
  ];
  const summary = problems.length === 0 ? await dataset?.check(source.locate(['dataset', 'path'])) : undefined;
  if (summary) problems.push(...summary.problems);
  if (problems.length > 0) return problems;
  const content = [judge.evaluators, summary?.contentHash, ...(judge.choice.attachments ?? [])];
  return {
    ...commonParts(file, source, context),
    timeoutMs: trialLimitMs(file.timeoutSecs, defaults),
    target,
    judge: judge.choice,
    variants: withFaultSets([{}], file.faults),
    control: readToolControl(file, source, borderOf(kind)),
    ci: withCaseRules(file.ci, namedCases(file)),
    warnings: comparedColumns(file, summary?.wholeInput),
    caseCount: summary?.rowCount ?? inline.length,
    contentHash: sha256(canonicalJson([withoutCi(source.value), ...content])),
    identity: identityOf({
      ...{ written: source.value, subjectKeys: ['call'], subject: { call: file.call }, content },
      hasClusters: summary?.hasClusters ?? inline.some(({ cluster }) => cluster !== undefined),
    }),
    cases: () => dataset?.cases() ?? caseByCase(inline),
  };
}

async function datasetOf(
  { dataset }: NativeScenario,
  source: ParsedSource,
  directory: string,
  judgedBy: JudgedBy,
  filled: FilledEvaluators,
): Promise<Dataset | undefined> {
  if (!dataset) return undefined;
  return new Dataset(
    await rowsOf(dataset, source, directory),
    (row, rowNumber) => caseOf(row, String(row.name ?? row.id ?? `row-${rowNumber}`), judgedBy),
    (row, rowSource) => [
      ...sentAnswers(row, rowSource),
      ...filled.problemsOf(row, dataset.path === undefined ? 'a row' : `a row of ${dataset.path}`),
    ],
    dataset.cluster,
  );
}

function caseName({ name }: { readonly name?: string | undefined }, index: number): string {
  return name ?? `case-${index + 1}`;
}

function namedCases({ cases = [] }: NativeScenario) {
  return cases.map((item, index) => ({ caseId: caseName(item, index), ci: item.ci }));
}

type JudgedBy = ReturnType<typeof caseEvaluators>;
type CaseFields = CriteriaLists & {
  readonly input?: unknown;
  readonly expected?: unknown;
  readonly expectedBehavior?: string | undefined;
  readonly metadata?: unknown;
};

function inlineCases(file: NativeScenario, judgedBy: JudgedBy): Case[] {
  const { expected, expectedBehavior } = file;
  if (file.cases) {
    return file.cases.map((item, index) => ({
      ...caseOf({ expected, expectedBehavior, ...item }, caseName(item, index), judgedBy),
      ...(item.cluster !== undefined && { cluster: `cluster=${item.cluster}` }),
    }));
  }
  if (file.dataset) return [];
  return [
    caseOf({ input: file.input, expected, expectedBehavior, passCriteria: [], failCriteria: [] }, onlyInput, judgedBy),
  ];
}

function caseOf(fields: CaseFields, caseId: string, judgedBy: JudgedBy): Case {
  const { input, expected, expectedBehavior, metadata } = fields;
  return { caseId, input, expected, expectedBehavior, metadata, evaluators: judgedBy(fields) };
}

function whoseValues({ caseId }: Case): string {
  return caseId === onlyInput ? 'the input' : `the case "${caseId}"`;
}
