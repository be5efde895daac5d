import type { CheckProblem } from '../definitions/rule.ts';
import type { Choices, PairVerdict } from './judge-pair.ts';
import type { AmbiguityReport, PairProof } from './prove-pairs.ts';

const verdictWords: Readonly<Record<PairVerdict, string>> = {
  proven: 'confused',
  refuted: 'distinguished',
  'not-decided': 'not decided',
};

/** The problems after the proofs: a pair that the model distinguishes is not one, the others say what it did. */
export function withProofs(problems: readonly CheckProblem[], ambiguity: AmbiguityReport | null): CheckProblem[] {
  if (!ambiguity) return [...problems];
  return problems.flatMap((problem) => {
    const proof =
      problem.id === 'tools-ambiguous' && problem.tools.length === 2
        ? ambiguity.pairs.find(({ tools }) => tools.every((tool) => problem.tools.includes(tool)))
        : undefined;
    if (!proof) return [problem];
    if (proof.verdict === 'refuted') return [];
    return [{ ...problem, message: `${problem.message} Tried on ${ambiguity.model}: ${proofText(proof)}.` }];
  });
}

/** `confused: 14 of 30 calls wrong (30–64 %)`, with the interval of 95 %. */
export function proofText({ verdict, reason, confusion, choices }: PairProof): string {
  const confused = choices.reduce((sum, one) => sum + one.confused, 0);
  const called = choices.reduce((sum, one) => sum + one.confused + one.right, 0);
  const neither = choices.reduce((sum, one) => sum + one.neither, 0);
  const worst = oneSided(choices);
  return [
    verdictWords[verdict],
    confusion && `: ${confused} of ${called} calls wrong (${percent(confusion.low)}–${percent(confusion.high)} %)`,
    worst && `, all of them for \`${worst}\``,
    neither > 0 && `, ${neither} without a call`,
    reason !== null && `${confusion ? '; ' : ': '}${reason}`,
  ]
    .filter((part) => part)
    .join('');
}

/** The tool whose requests were the only ones to go wrong. */
function oneSided(choices: readonly Choices[]): string | undefined {
  const wrong = choices.filter(({ confused }) => confused > 0);
  return wrong.length === 1 && choices.length > 1 ? wrong[0]?.tool : undefined;
}

function percent(share: number): string {
  return String(Math.round(share * 100));
}
