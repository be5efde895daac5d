import * as z from 'zod';
import { type Evidence, type JudgeSpending, totalSpending } from '../../domain/judge-result.ts';
import type { Fault } from '../../domain/outcome.ts';
import { readReply, replyJsonSchema } from '../../drive/models/prompting/read-reply.ts';
import { askQuestion } from './ask-question.ts';
import {
  authorLines,
  authorNotes,
  composePrompt,
  promptOf,
  subjectLines,
  traceShare,
  withRulesVersion,
} from './compose-prompt.ts';
import { discardedQuote, isProven, quoteComplaint, quoteSchema, verifyEvidence } from './evidence.ts';
import type { JudgeContext, JudgeSubject, PromptSettings, Question } from './judge.ts';
import promptText from './prompts/pairwise.v2.md?raw';
import { showTrace } from './show-trace.ts';

const prompt = promptOf(promptText);

/** Which of the two attempts shown is better, after the quotes were looked up. */
interface PairPreference {
  readonly preference: 'x' | 'y' | 'tie' | 'cannot-tell';
  readonly reason: string;
  readonly evidence: readonly Evidence[];
}

const replySchema = z.object({
  reasoning: z.string(),
  evidence: z.array(quoteSchema),
  better: z.enum(['X', 'Y', 'tie', 'cannot-tell']),
});
const output = { name: 'pair_preference', schema: replyJsonSchema(replySchema) };
const preferences = { X: 'x', Y: 'y', tie: 'tie', 'cannot-tell': 'cannot-tell' } as const;

/** Asks which of two attempts is better, in the order given; a preference without verified quotes is none. */
export function pairQuestion(
  x: JudgeSubject,
  y: JudgeSubject,
  aspects: readonly string[],
  settings: PromptSettings,
): Question<PairPreference> {
  const tokenBudget = (settings.tokenBudget * traceShare) / 2;
  const { evidenceFrom } = x;
  const attemptX = showTrace(x, { ...settings, tokenBudget, idPrefix: 'x-', evidenceFrom });
  const attemptY = showTrace(y, { ...settings, tokenBudget, idPrefix: 'y-', evidenceFrom });
  const renderedTraces = {
    quotable: new Map([...attemptX.quotable, ...attemptY.quotable]),
    unquotable: new Map([...attemptX.unquotable, ...attemptY.unquotable]),
  };
  const data = { data: [...subjectLines(x, settings), ...attemptX.lines, ...attemptY.lines] };
  const trusted = {
    aspects: authorLines(aspects.length === 0 ? ['How well the task was done, all in all'] : aspects, settings),
    notes: authorNotes(x, settings),
  };
  return {
    ...composePrompt(prompt, { data, trusted, evidenceFrom }, settings),
    output,
    maxOutputTokens: 2_000,
    read: (text) => {
      const reading = readReply(text, replySchema);
      if (!reading.isReadable) return reading;
      const { reasoning, better } = reading.value;
      const evidence = verifyEvidence(reading.value.evidence, renderedTraces);
      const isSupported = isProven(evidence) || (better === 'tie' && evidence.length === 0);
      const preference = isSupported ? preferences[better] : 'cannot-tell';
      const missing =
        isSupported || better === 'cannot-tell' ? undefined : 'the judge gave no quote for its preference';
      const reason = discardedQuote(evidence) ?? missing ?? reasoning;
      return { ...reading, value: { preference, reason, evidence }, complaint: quoteComplaint(evidence) };
    },
  };
}

/** Changes with every change of the wording, and with the rules that are chosen. */
export function pairPromptVersion({ prompt: rules }: Pick<PromptSettings, 'prompt'>): string {
  return withRulesVersion('pairwise.v2', rules);
}

/** Two attempts at one task. */
interface Pair {
  readonly a: JudgeSubject;
  readonly b: JudgeSubject;
  /** Aspects to compare, in plain words; overall quality when empty. */
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
  const outcome = await askQuestion(pairQuestion(x, y, pair.aspects, context), context);
  const answer: OrderedAnswer =
    outcome.fault === undefined
      ? { order, ...outcome.conclusion, preference: inOriginalOrder(outcome.conclusion.preference, isAFirst) }
      : { order, preference: 'cannot-tell', reason: outcome.fault.message, evidence: [], fault: outcome.fault };
  return { answer, ...totalSpending([outcome]) };
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
