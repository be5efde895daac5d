import * as z from 'zod';
import type { Evidence } from '../../domain/judge-result.ts';
import { readReply, replyJsonSchema } from '../../drive/models/prompting/read-reply.ts';
import { templateOf } from '../../drive/models/prompting/template.ts';
import { authorLines, composePrompt, subjectData, traceShare } from './compose-prompt.ts';
import { discardedQuote, isProven, quoteComplaint, quoteSchema, verifyEvidence } from './evidence.ts';
import type { JudgeSubject, PromptSettings, Question } from './judge.ts';
import templateText from './prompts/pairwise.v1.md?raw';
import { showTrace } from './show-trace.ts';

const template = templateOf(templateText);

/** Which of the two attempts shown is better, after the quotes were looked up. */
export interface PairPreference {
  readonly preference: 'x' | 'y' | 'tie' | 'cannot-tell';
  readonly reason: string;
  readonly evidence: readonly Evidence[];
}

const replySchema = z.strictObject({
  reasoning: z.string(),
  evidence: z.array(quoteSchema),
  better: z.enum(['X', 'Y', 'tie', 'cannot-tell']),
});
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
  const shown = {
    quotable: new Map([...attemptX.quotable, ...attemptY.quotable]),
    unquotable: new Map([...attemptX.unquotable, ...attemptY.unquotable]),
  };
  const data = { ...subjectData(x, settings), attemptX: attemptX.lines, attemptY: attemptY.lines };
  const trusted = {
    aspects: authorLines(aspects.length === 0 ? ['How well the task was done, all in all'] : aspects, settings),
    instructions: authorLines(x.instructions ?? [], settings),
  };
  return {
    ...composePrompt(template, { data, trusted, evidenceFrom }, settings.nonce),
    output: { name: 'pair_preference', schema: replyJsonSchema(replySchema) },
    maxOutputTokens: 2_000,
    read: (text) => {
      const reading = readReply(text, replySchema);
      if (!reading.isReadable) return reading;
      const { reasoning, better } = reading.value;
      const evidence = verifyEvidence(reading.value.evidence, shown);
      const isTold = isProven(evidence) || (better === 'tie' && evidence.length === 0);
      const preference = isTold ? preferences[better] : 'cannot-tell';
      const missing = isTold || better === 'cannot-tell' ? undefined : 'the judge gave no quote for its preference';
      const reason = discardedQuote(evidence) ?? missing ?? reasoning;
      return { isReadable: true, value: { preference, reason, evidence }, complaint: quoteComplaint(evidence) };
    },
  };
}
