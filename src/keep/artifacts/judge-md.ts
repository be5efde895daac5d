import type { JudgeResult } from '../../domain/judge-result.ts';
import type { TrialRecord } from '../../domain/record.ts';
import { isRecord } from '../../shared/json.ts';
import { inline, scoreTier, table } from './markdown.ts';

const mostPoints = 30;

/** The judge's score out of five, or why there is none. */
export function judgeScore({ judge }: Pick<TrialRecord, 'judge'>): string[] {
  if (!judge) return ['Not judged.'];
  if (judge.score === undefined) return [`${judgeStates[judge.state]}: ${inline(judge.reason)}`];
  const threshold = judge.threshold === undefined ? '' : `, needed ${judge.threshold.toFixed(2)}`;
  return [
    `**${Math.round(judge.score * 5)}** / 5`,
    '',
    `${judgeStates[judge.state]}: ${judge.score.toFixed(2)} (${scoreTier(judge.score)}${threshold})`,
  ];
}

const judgeStates = { pass: 'Passed', fail: 'Failed', error: 'Could not be judged', skipped: 'Not judged' } as const;

/** Issues and highlights of the judge, and its score for each criterion. */
export function judgeFeedback({ judge }: Pick<TrialRecord, 'judge'>): string[] {
  if (!judge) return ['None.'];
  const response = isRecord(judge.response) ? judge.response : {};
  return [
    ...(judge.reason === '' ? [] : [inline(judge.reason), '']),
    ...points('Issues', response.issues),
    ...points('Highlights', response.highlights),
    ...criteriaScores(judge, response.scores),
    ...(judge.warnings.length === 0 ? [] : ['', ...points('Warnings', judge.warnings)]),
  ];
}

function points(title: string, given: unknown): string[] {
  const texts = Array.isArray(given) ? given.filter((each) => typeof each === 'string') : [];
  const more = texts.length - mostPoints;
  return [
    `### ${title}`,
    '',
    ...(texts.length === 0 ? ['None.'] : texts.slice(0, mostPoints).map((text) => `- ${inline(text)}`)),
    ...(more > 0 ? [`- … and ${more} more`] : []),
    '',
  ];
}

function criteriaScores({ criteria }: JudgeResult, scores: unknown): string[] {
  const reasons = new Map((criteria ?? []).map(({ id, reason }) => [id, reason]));
  const scored = new Map<string, unknown>((criteria ?? []).map(({ id, score, answer }) => [id, score ?? answer]));
  for (const [id, score] of Object.entries(isRecord(scores) ? scores : {})) scored.set(id, score);
  const rows = [...scored].map(([id, score]) => [inline(id), scoreText(score), inline(reasons.get(id) ?? '')]);
  return [
    '### Criteria Scores',
    '',
    ...(rows.length === 0 ? ['None.'] : table(['Criterion', 'Score', 'Reason'], rows)),
  ];
}

function scoreText(score: unknown): string {
  return typeof score === 'number' ? score.toFixed(2) : inline(String(score));
}
