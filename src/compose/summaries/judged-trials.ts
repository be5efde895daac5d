import type { JudgeResult } from '../../domain/judge-result.ts';
import type { TrialRecord } from '../../domain/record.ts';
import { identityOf } from '../judge/calibrations.ts';

const titles = {
  success: 'This must have happened',
  failure: 'This must not have happened',
  weighted: 'How well is this done',
} as const;

/** The question that a judge answered about a trial, without its answer. */
function judgeQuestion({ judge, criteria }: Pick<TrialRecord, 'judge' | 'criteria'>): string {
  if (!judge) return '';
  if (judge.mode === 'groundedness') return 'Do the results of tools support every claim of the agent?';
  const judged = (judge.criteria ?? judge.panel?.find((member) => member.criteria)?.criteria ?? []).map(
    ({ kind, text }) => ({ kind, text }),
  );
  const listed = judged.length > 0 ? judged : expressionsOf(criteria);
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
  return `How well did the agent do its task?${limit}`;
}

/** A trial that a judge decided, as far as a person who labels it may know. */
export interface JudgedTrial {
  readonly trialId: string;
  readonly runId: string;
  readonly scenario: string;
  readonly caseId: string;
  readonly question: string;
  readonly durationMs: number | null;
}

/** Whether a judge that can be named gave a verdict. */
export function isJudged({ judge }: TrialRecord): boolean {
  return judge !== null && (judge.state === 'pass' || judge.state === 'fail') && identityOf(judge) !== undefined;
}

/** A judged trial as its raters may see it. */
export function judgedTrial(record: TrialRecord): JudgedTrial {
  const { trialId, runId, scenario, caseId, durationMs } = record;
  return { trialId, runId, scenario, caseId, question: judgeQuestion(record), durationMs };
}

/** Of so many trials of a run the first that were judged are for review. */
const mostRead = 20_000;
/** So many of them suffice. */
const mostJudged = 2_000;

/** Takes the trials of a run, and keeps the first that were judged. */
export class JudgedTrials {
  readonly found: JudgedTrial[] = [];
  #read = 0;

  add(record: TrialRecord): void {
    if (!this.isFull && isJudged(record)) this.found.push(judgedTrial(record));
    this.#read++;
  }

  get isFull(): boolean {
    return this.#read >= mostRead || this.found.length >= mostJudged;
  }
}
