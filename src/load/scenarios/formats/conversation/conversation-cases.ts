import type { Problem } from '../../../../domain/problem.ts';
import type { Case, PartSpec } from '../../../../domain/scenario.ts';
import { fillTemplates, type Template, type TemplateValues, templatesIn } from '../../../../shared/templates.ts';
import type { ParsedSource } from '../../../sources/parsed-source.ts';
import { Dataset } from '../../datasets/dataset.ts';
import { rowsOf } from '../../datasets/dataset-file.ts';
import type { Row } from '../../datasets/dataset-schema.ts';
import { caseByCase } from '../../scenario-format.ts';
import { caseValues, unfilledTemplates } from '../case-values.ts';
import { checkedEvaluator, type PlannedEvaluator } from '../evaluators-section.ts';
import type { ConversationFile } from './conversation-schema.ts';
import type { ConversationReading } from './data-folder.ts';

/** The cases of a scenario, with a hash of their dataset. */
export interface ConversationCases {
  readonly caseCount: number;
  readonly contentHash: string;
  readonly hasClusters: boolean;
  cases(): AsyncIterable<Case>;
}

/** Evaluators that all cases share. */
interface Plan {
  readonly evaluators: readonly PlannedEvaluator[];
  /** Evaluators of the judge section. */
  readonly judge: readonly PartSpec[];
}

const templatedKeys = ['instructions', 'messages', 'prompts', 'userMessages', 'personas', 'persona', 'user'] as const;

/** One case, or one for each row of the dataset. */
export async function readCases(
  file: ConversationFile,
  plan: Plan,
  reading: ConversationReading,
): Promise<ConversationCases | undefined> {
  const { source, context, found } = reading;
  const templates = [
    ...templatedKeys.flatMap((key) => templatesIn(file[key], [key])),
    ...plan.evaluators.flatMap(({ config, path }) => templatesIn(config, path)),
  ];
  if (!file.dataset) {
    warnOfUnusedTemplates(templates, 'there is no `dataset`', reading);
    const evaluators = evaluatorsFor({}, plan, reading);
    const only: Case = { caseId: 'conversation', input: {}, expected: undefined, evaluators };
    return { caseCount: 1, contentHash: '', hasClusters: false, cases: () => caseByCase([only]) };
  }
  warnOfUnusedTemplates(
    templates.filter(({ name }) => name === undefined),
    'a name consists of letters, digits, `_`, `.` and `-`',
    reading,
  );
  const { path } = file.dataset;
  const dataset = new Dataset(
    await rowsOf(file.dataset, source, context.directory),
    rowToCase(plan, templates, reading),
    (row, rowSource) => rowProblems(row, rowSource, plan, templates, path, reading),
    file.dataset.cluster,
  );
  const count = found.problems.length;
  const { problems, rowCount, ...read } = await dataset.check(source.locate(['dataset', 'path']));
  found.problems.push(...problems);
  return found.problems.length > count ? undefined : { caseCount: rowCount, ...read, cases: () => dataset.cases() };
}

function rowToCase(
  plan: Plan,
  templates: readonly Template[],
  reading: ConversationReading,
): (row: Row, number: number) => Case {
  const isShared = !plan.evaluators.some(({ hasTemplates }) => hasTemplates);
  // One list for all cases, so the evaluators are prepared once.
  const shared = isShared ? evaluatorsFor({}, plan, reading) : undefined;
  return (row, number) => {
    const input = caseValues(row, templates);
    const { expected, expectedBehavior, metadata } = row;
    const caseId = String(row.name ?? row.id ?? `row-${number}`);
    const described = { caseId, input, expected, expectedBehavior, metadata };
    return { ...described, evaluators: shared ?? evaluatorsFor(input, plan, reading) };
  };
}

function evaluatorsFor(
  values: TemplateValues,
  { evaluators, judge }: Plan,
  reading: ConversationReading,
): readonly PartSpec[] {
  const checked = evaluators.flatMap(
    (planned) =>
      checkedEvaluator(
        planned,
        planned.hasTemplates ? fillTemplates(planned.config, values) : planned.config,
        reading,
      ) ?? [],
  );
  return [...checked, ...judge];
}

/** Problems of a row, at the template that uses it. */
function rowProblems(
  row: Row,
  rowSource: () => ParsedSource,
  plan: Plan,
  templates: readonly Template[],
  dataset: string,
  { source }: ConversationReading,
): readonly Problem[] {
  const criteria = (['passCriteria', 'failCriteria'] as const).find((key) => row[key].length > 0);
  if (criteria) {
    const message = `\`${criteria}\` is not supported in a conversation`;
    return [{ at: rowSource().locate([criteria]), message, hint: 'Use `{{name}}` templates in `evaluators` instead.' }];
  }
  const input = caseValues(row, templates);
  const missing = unfilledTemplates(templates, input, `a row of ${dataset}`, source);
  if (missing.length > 0) return missing;
  const found = { problems: [] as Problem[], warnings: [] };
  for (const planned of plan.evaluators)
    if (planned.hasTemplates) checkedEvaluator(planned, fillTemplates(planned.config, input), { source, found });
  return found.problems;
}

function warnOfUnusedTemplates(
  templates: readonly Template[],
  why: string,
  { source, found }: ConversationReading,
): void {
  for (const { path, column, written } of templates)
    found.warnings.push({
      at: source.locateInString(path, column),
      message: `\`${written}\` is not replaced: ${why}`,
    });
}
