import { type Evidence, type JudgeSpending, totalSpending } from '../../domain/judge-result.ts';
import type { Fault } from '../../domain/outcome.ts';
import { askQuestion } from './ask-question.ts';
import { rulesVersion } from './compose-prompt.ts';
import type { JudgeContext, JudgeSubject } from './judge.ts';
import { type PairPreference, pairQuestion } from './pair-question.ts';

/** Changes with every change of the wording. */
export const pairPromptVersion = `pairwise.v1+${rulesVersion}`;

/** Two attempts at one task. */
export interface Pair {
  readonly a: JudgeSubject;
  readonly b: JudgeSubject;
  /** What to compare them by, in plain words; all in all when empty. */
  readonly aspects: readonly string[];
}

type Preference = 'a' | 'b' | 'tie' | 'cannot-tell';

interface OrderedAnswer {
  readonly order: 'a-first' | 'b-first';
  readonly preference: Preference;
  readonly reason: string;
  readonly evidence: readonly Evidence[];
  readonly fault?: Fault | undefined;
}

/** Which of two attempts is better; undecided when the order in which they are shown changes the answer. */
export interface PairResult extends JudgeSpending {
  /** Whether it is undecided because each order gave another answer. */
  readonly isOrderDependent: boolean;
  readonly winner: 'a' | 'b' | 'tie' | 'undecided';
  readonly reason: string;
  readonly orders: readonly OrderedAnswer[];
}

/** Asks in both orders and believes only what both say. Failed gates decide without asking. */
export async function comparePair(pair: Pair, context: JudgeContext): Promise<PairResult> {
  const decided = decideByGates(pair);
  if (decided !== undefined) return { ...decided, isOrderDependent: false, orders: [], ...totalSpending([]) };
  const [first, second] = await Promise.all([
    askInOrder(pair, 'a-first', context),
    askInOrder(pair, 'b-first', context),
  ]);
  const orders = [first.answer, second.answer];
  return { ...decide(first.answer, second.answer), orders, ...totalSpending([first, second]) };
}

async function askInOrder(pair: Pair, order: OrderedAnswer['order'], context: JudgeContext) {
  const isAFirst = order === 'a-first';
  const [x, y] = isAFirst ? [pair.a, pair.b] : [pair.b, pair.a];
  const asked = await askQuestion(pairQuestion(x, y, pair.aspects, context), context);
  const answer: OrderedAnswer =
    asked.fault === undefined
      ? { order, ...asked.conclusion, preference: inOriginalOrder(asked.conclusion.preference, isAFirst) }
      : { order, preference: 'cannot-tell', reason: asked.fault.message, evidence: [], fault: asked.fault };
  return { answer, ...totalSpending([asked]) };
}

function inOriginalOrder(preference: PairPreference['preference'], isAFirst: boolean): Preference {
  if (preference === 'x') return isAFirst ? 'a' : 'b';
  if (preference === 'y') return isAFirst ? 'b' : 'a';
  return preference;
}

function decide(
  first: OrderedAnswer,
  second: OrderedAnswer,
): Pick<PairResult, 'winner' | 'reason' | 'isOrderDependent'> {
  const unclear = [first, second].find(({ preference }) => preference === 'cannot-tell');
  if (unclear) return { winner: 'undecided', reason: unclear.reason, isOrderDependent: false };
  if (first.preference === second.preference && first.preference !== 'cannot-tell') {
    return { winner: first.preference, reason: first.reason, isOrderDependent: false };
  }
  return {
    winner: 'undecided',
    isOrderDependent: true,
    reason: `the answer depends on the order: ${first.preference} when a is shown first, ${second.preference} when b is`,
  };
}

function decideByGates({ a, b }: Pair): Pick<PairResult, 'winner' | 'reason'> | undefined {
  const [failedA, failedB] = [a.failedGates.length > 0, b.failedGates.length > 0];
  if (!failedA && !failedB) return undefined;
  const reason = `failed gates are final: ${[...a.failedGates, ...b.failedGates].join('; ')}`;
  return { winner: failedA && failedB ? 'tie' : failedA ? 'b' : 'a', reason };
}
