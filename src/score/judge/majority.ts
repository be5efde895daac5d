import type { CriterionAnswer, JudgedCriterion } from '../../domain/judge-result.ts';

/** Each criterion with the answer that more than half of the voters gave; without such an answer it cannot be told. */
export function majorityCriteria(votes: readonly (readonly JudgedCriterion[])[]): JudgedCriterion[] {
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
