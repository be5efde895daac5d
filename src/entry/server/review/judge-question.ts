import type { JudgeResult } from '../../../domain/judge-result.ts';
import type { TrialRecord } from '../../../domain/record.ts';

const titles = {
  success: 'This must have happened',
  failure: 'This must not have happened',
  weighted: 'How well is this done',
} as const;

/** What a judge was asked about a trial, without anything that it answered. */
export function judgeQuestion({ judge, criteria }: Pick<TrialRecord, 'judge' | 'criteria'>): string {
  if (!judge) return '';
  const asked = (judge.criteria ?? judge.panel?.find((member) => member.criteria)?.criteria ?? []).map(
    ({ kind, text }) => ({ kind, text }),
  );
  const listed = asked.length > 0 ? asked : expressionsOf(criteria);
  const sections = (['success', 'failure', 'weighted'] as const).flatMap((kind) => {
    const texts = listed.filter((each) => each.kind === kind).map(({ text }) => `- ${text}`);
    return texts.length > 0 ? [`${titles[kind]}:\n${texts.join('\n')}`] : [];
  });
  return sections.length > 0 ? sections.join('\n\n') : scoreQuestion(judge);
}

function expressionsOf(criteria: TrialRecord['criteria']) {
  return [
    ...(criteria?.passCriteriaEvaluation.details ?? []).map(({ criterion }) => ({ kind: 'success', text: criterion })),
    ...(criteria?.failCriteriaEvaluation.details ?? []).map(({ criterion }) => ({ kind: 'failure', text: criterion })),
  ];
}

function scoreQuestion({ threshold }: JudgeResult): string {
  const limit = threshold === undefined ? '' : ` It passes from a score of ${threshold} of 1 on.`;
  return `How well did the agent do what was asked for?${limit}`;
}
