import {
  type CriterionAnswer,
  type JudgeAnswer,
  type JudgedCriterion,
  type JudgeResult,
  totalSpending,
} from '../../domain/judge-result.ts';
import { mean, spreadOf } from '../../shared/stats/spread.ts';
import { decideByCriteria, undecided } from './decide-by-criteria.ts';
import type { Judge, JudgeContext, JudgeSubject } from './judge.ts';
import { withFinalGates } from './prepare-judge.ts';

/** Each criterion with the answer that more than half of the voters gave; without such an answer it is undecided. */
function majorityCriteria(votes: readonly (readonly JudgedCriterion[])[]): JudgedCriterion[] {
  return (votes[0] ?? []).map((criterion) => {
    const answers = votes.flatMap((vote) => vote.find(({ id }) => id === criterion.id) ?? []);
    const answer = majorityAnswer(answers.map((given) => given.answer));
    const agreeing = answers.filter((given) => given.answer === answer);
    const reason = agreeing[0]?.reason ?? 'the judges do not agree';
    return {
      ...criterion,
      answer,
      reason: `${agreeing.length} of ${votes.length}: ${reason}`,
      evidence: agreeing.flatMap(({ evidence }) => evidence),
    };
  });
}

function majorityAnswer(answers: readonly CriterionAnswer[]): CriterionAnswer {
  const isMajority = (answer: CriterionAnswer) =>
    answers.filter((given) => given === answer).length * 2 > answers.length;
  return (['met', 'not-met'] as const).find(isMajority) ?? 'cannot-tell';
}

type Combined = Pick<JudgeResult, 'state' | 'reason' | 'score' | 'threshold' | 'criteria' | 'fault' | 'spread'>;

/**
 * Asks several models, or one model several times with different seeds, and combines what they say: the majority for
 * criteria, the mean for scores. More than half of the members must have answered. Every answer is kept.
 */
export async function askPanel(
  judge: Judge,
  subject: JudgeSubject,
  members: readonly JudgeContext[],
): Promise<JudgeResult> {
  const answers = await Promise.all(members.map((member) => judge.ask(subject, member)));
  const [only] = answers;
  const isWithoutModel = answers.every(({ model }) => model === undefined);
  if (only !== undefined && (answers.length === 1 || isWithoutModel)) return only;
  // A panel decides when all of its members could answer.
  const waiting = answers.find(({ fault }) => fault?.code === 'JUDGE_WAITING');
  if (waiting) return waiting;
  const combined = combine(answers);
  const models = [...new Set(answers.flatMap(({ model }) => model ?? []))];
  const result: JudgeResult = {
    ...combined,
    mode: judge.mode,
    promptVersion: (only ?? judge).promptVersion,
    ...(models.length === 0 ? {} : { model: models.join(', ') }),
    ...confidenceOf(answers),
    warnings: [...new Set([...disagreement(combined.state, answers), ...answers.flatMap(({ warnings }) => warnings)])],
    ...totalSpending(answers),
    ...(answers.some(({ isCached }) => isCached) && { isCached: true }),
    panel: answers,
  };
  return withFinalGates(subject, result);
}

function combine(answers: readonly JudgeAnswer[]): Combined {
  const votes = answers.filter(hasVoted);
  if (votes.length * 2 <= answers.length) return withoutQuorum(answers, votes.length);
  if (votes.every(({ criteria }) => criteria?.every(isVotedOn))) return byCriteria(votes);
  if (votes.every(({ threshold }) => threshold !== undefined)) return byScore(votes);
  return byState(votes);
}

/** An answer with criteria has voted even when it is undecided as a whole; a fault has not. */
function hasVoted({ state, criteria, fault }: JudgeAnswer): boolean {
  if (state === 'pass' || state === 'fail') return true;
  return (
    state === 'error' && fault?.code === 'JUDGE_UNDECIDED' && criteria?.[0] !== undefined && isVotedOn(criteria[0])
  );
}

/** Whether judges answer the same question; each judge finds its own claims. */
function isVotedOn({ kind }: JudgedCriterion): boolean {
  return kind === 'success' || kind === 'failure';
}

function withoutQuorum(answers: readonly JudgeAnswer[], votes: number): Combined {
  const reason = `only ${votes} of ${answers.length} judges could answer`;
  const fault = answers.find((answer) => answer.fault !== undefined)?.fault;
  return { ...undecided(reason), ...(fault === undefined ? {} : { fault }) };
}

function byCriteria(votes: readonly JudgeAnswer[]): Combined {
  const criteria = majorityCriteria(votes.map((vote) => vote.criteria ?? []));
  return { ...decideByCriteria(criteria), criteria };
}

function byScore(votes: readonly JudgeAnswer[]): Combined {
  const scores = votes.flatMap(({ score }) => score ?? []);
  const threshold = votes[0]?.threshold ?? 1;
  const spread = spreadOf(scores);
  const isPass = spread.mean >= threshold;
  const reason = `mean score ${spread.mean} ${isPass ? '>=' : '<'} ${threshold} (${spread.min} to ${spread.max})`;
  return { state: isPass ? 'pass' : 'fail', score: spread.mean, threshold, spread, reason };
}

function byState(votes: readonly JudgeAnswer[]): Combined {
  const passes = votes.filter(({ state }) => state === 'pass').length;
  const reason = `${passes} of ${votes.length} judges say pass`;
  if (passes * 2 === votes.length) return undecided(`could not be judged: ${reason}`);
  return { state: passes * 2 > votes.length ? 'pass' : 'fail', reason };
}

function disagreement(state: JudgeResult['state'], answers: readonly JudgeAnswer[]): string[] {
  const others = answers.filter((answer) => answer.state !== state);
  if (others.length === 0) return [];
  const answered = others.map((answer) => `${answer.model ?? 'a judge'} says ${answer.state}`).join(', ');
  return [`${others.length} of ${answers.length} judges differ from the panel's ${state}: ${answered}`];
}

function confidenceOf(answers: readonly JudgeAnswer[]): Pick<JudgeResult, 'confidence'> {
  const figures = answers.flatMap(({ confidence }) => confidence ?? []);
  return figures.length === 0 ? {} : { confidence: mean(figures) };
}
