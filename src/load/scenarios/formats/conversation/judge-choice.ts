import type { PartSpec } from '../../../../domain/scenario.ts';
import { type JudgeMeaning, readJudgeSection } from '../judge-section.ts';
import type { ConversationFile } from './conversation-schema.ts';
import type { PlannedEvaluator } from './evaluators-section.ts';
import type { Reading } from './reading.ts';
import { templatesIn } from './templates.ts';

/** Keys of a judge section that ask for a verdict; the others only say who gives it. */
const verdictKeys = ['successCriteria', 'failureCriteria', 'rubric', 'passThreshold', 'pass_threshold'] as const;

/** What the judge section of a conversation means, as evaluators that depend on a case and as others that do not. */
export interface JudgeChoice {
  readonly planned: readonly PlannedEvaluator[];
  readonly fixed: readonly PartSpec[];
  readonly choice: JudgeMeaning['choice'];
}

/** Reads the judge section; where the scenario has criteria already, one that has none only says who judges them. */
export async function readJudgeChoice(
  file: ConversationFile,
  evaluators: readonly PlannedEvaluator[],
  { source, context, found }: Reading,
): Promise<JudgeChoice | undefined> {
  const { folder, defaults, parts } = context;
  const read = await readJudgeSection(file.judge, source, folder, defaults.isJudgeForced ?? false);
  if (!('choice' in read)) {
    found.problems.push(...read);
    return undefined;
  }
  const isJudged = evaluators.some(({ evaluator }) => evaluator.needs.includes('judge'));
  const asksNothing = !verdictKeys.some((key) => file.judge?.[key] !== undefined);
  if (isJudged && asksNothing) return { planned: [], fixed: [], choice: read.choice };
  const planned = read.evaluators.flatMap(({ type, config }) => {
    const evaluator = parts.evaluators.find((candidate) => candidate.type === type);
    const hasTemplates = templatesIn(config, []).some(({ name }) => name !== undefined);
    return evaluator && hasTemplates ? [{ evaluator, when: undefined, config, path: ['judge'], hasTemplates }] : [];
  });
  const fixed = read.evaluators.filter(({ type }) => !planned.some(({ evaluator }) => evaluator.type === type));
  return { planned, fixed, choice: read.choice };
}
