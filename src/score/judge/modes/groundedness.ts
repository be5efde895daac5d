import * as z from 'zod';
import type { CriterionAnswer, Evidence, JudgedCriterion } from '../../../domain/judge-result.ts';
import { readReply, replyJsonSchema } from '../../../drive/models/prompting/read-reply.ts';
import { counted } from '../../../shared/format.ts';
import { oneLine } from '../../../shared/text.ts';
import { authorNotes, composePrompt, promptOf, subjectData, traceShare, withAdditions } from '../compose-prompt.ts';
import { undecided } from '../decide-by-criteria.ts';
import { eventsForJudge } from '../event-source.ts';
import { discardedQuote, isProven, quoteComplaint, quoteSchema, verifyEvidence } from '../evidence.ts';
import { defineJudgeMode, type JudgeConclusion, type JudgeSubject, type PromptSettings } from '../judge.ts';
import { type GroundednessConfig, groundednessConfigSchema } from '../mode-configs.ts';
import promptText from '../prompts/groundedness.v2.md?raw';
import { type ShownTrace, showTrace } from '../show-trace.ts';

const prompt = promptOf(promptText);

const replySchema = z.object({
  claims: z.array(
    z.object({
      claim: z.string().min(1),
      ...quoteSchema.shape,
      reasoning: z.string(),
      evidence: z.array(quoteSchema),
      verdict: z.enum(['supported', 'contradicted', 'not-found']),
    }),
  ),
  confidence: z.number().min(0).max(1),
});
const output = { name: 'groundedness', schema: replyJsonSchema(replySchema) };
type Reply = z.output<typeof replySchema>;
type Claim = Reply['claims'][number];

/** The claims of an agent, each against what tools returned. */
export const groundedness = defineJudgeMode({
  mode: 'groundedness',
  summary: 'claims of the agent against the results of tools: supported, contradicted or not found, each with a quote',
  promptVersion: 'groundedness.v2',
  configSchema: groundednessConfigSchema,
  prepare(config) {
    return (bareSubject, settings) => {
      const subject = withAdditions(bareSubject, config);
      const sources = showSources(subject, settings);
      const { task, references } = subjectData(subject, settings);
      const data = { data: [...references, ...task, ...sources.results.lines] };
      const trusted = { notes: authorNotes(subject, settings) };
      return {
        ...composePrompt(prompt, { data, trusted, evidenceFrom: ['agent', 'tools'] }, settings),
        output,
        maxOutputTokens: 8_000,
        read: (text) => {
          const reading = readReply(text, replySchema);
          if (!reading.isReadable) return reading;
          const judged = reading.value.claims.map((claim, index) => judgeClaim(claim, index, sources));
          const value = conclude(config, eachOnce(judged), reading.value.confidence);
          return { ...reading, value, complaint: quoteComplaint(judged.flatMap(({ quotes }) => quotes)) };
        },
      };
    };
  },
});

interface Sources {
  /** Messages of the agent, which claims are copied from. */
  readonly messages: Pick<ShownTrace, 'quotable' | 'unquotable'>;
  readonly results: ShownTrace;
}

function showSources(subject: JudgeSubject, settings: PromptSettings): Sources {
  const options = { ...settings, tokenBudget: settings.tokenBudget * traceShare };
  const words = showTrace(subject, { ...options, evidenceFrom: ['agent'] });
  const isMessage = (id: string): boolean =>
    id === 'final' || eventsForJudge(subject.trace)[Number(id.slice(1)) - 1]?.type === 'message';
  const quotable = new Map([...words.quotable].filter(([id]) => isMessage(id)));
  return {
    messages: { quotable, unquotable: words.unquotable },
    results: showTrace(subject, { ...options, evidenceFrom: ['tools'] }),
  };
}

interface JudgedClaim {
  readonly criterion: JudgedCriterion;
  readonly verdict: Claim['verdict'];
  /** Those of the claim itself, and those behind its verdict. */
  readonly quotes: readonly Evidence[];
}

/** A verdict counts as far as its quotes do; what was not shown may hold what a judge did not find. */
function judgeClaim(claim: Claim, index: number, { messages, results }: Sources): JudgedClaim {
  const { event, quote, verdict, reasoning } = claim;
  const own = verifyEvidence([{ event, quote }], messages);
  const evidence = verifyEvidence(claim.evidence, results);
  const isShown = verdict === 'not-found' ? evidence.length === 0 && results.isWhole : isProven(evidence);
  const answer = isProven(own) && isShown ? answers[verdict] : 'cannot-tell';
  const quotes = [...own, ...evidence];
  const cut = verdict === 'not-found' && !results.isWhole ? 'not all results of tools were shown to the judge' : '';
  const missing = evidence.length === 0 ? `the judge gave no quote for "${verdict}"` : '';
  const reason =
    answer === 'cannot-tell' ? (discardedQuote(quotes) ?? (cut || missing)) : `${labels[verdict]}: ${reasoning}`;
  const criterion = { id: `claim-${index + 1}`, kind: 'claim', text: claim.claim, answer, reason, evidence } as const;
  return { criterion, verdict, quotes };
}

/** A claim that is made again is not another claim; one that was judged in two ways is not decided. */
function eachOnce(judged: readonly JudgedClaim[]): JudgedClaim[] {
  const found = new Map<string, JudgedClaim>();
  for (const claim of judged) {
    const key = oneLine(claim.criterion.text.normalize('NFC')).toLowerCase();
    const first = found.get(key);
    const isSame = first === undefined || first.criterion.answer === claim.criterion.answer;
    const reason = 'the judge gave this claim several verdicts';
    found.set(
      key,
      isSame ? (first ?? claim) : { ...first, criterion: { ...first.criterion, answer: 'cannot-tell', reason } },
    );
  }
  return [...found.values()];
}

const answers: Readonly<Record<Claim['verdict'], CriterionAnswer>> = {
  supported: 'met',
  contradicted: 'not-met',
  'not-found': 'not-met',
};
const labels = { supported: 'supported', contradicted: 'contradicted', 'not-found': 'not found' } as const;

/**
 * A claim without proof is not supported; the verdict stands where it is the same with all such claims supported.
 * An answer without claims is neither grounded nor ungrounded.
 */
function conclude(
  { passThreshold }: GroundednessConfig,
  judged: readonly JudgedClaim[],
  confidence: number,
): JudgeConclusion {
  const criteria = judged.map(({ criterion }) => criterion);
  const count = (answer: CriterionAnswer): number => criteria.filter((one) => one.answer === answer).length;
  const [claims, supported, unproven] = [criteria.length, count('met'), count('cannot-tell')];
  const contradicted = judged.filter(
    ({ criterion, verdict }) => criterion.answer === 'not-met' && verdict === 'contradicted',
  );
  const response = {
    ...{ claims, supported, contradicted: contradicted.length },
    notFound: count('not-met') - contradicted.length,
    unproven,
  };
  const kept = { threshold: passThreshold, response, criteria, confidence, warnings: [] };
  if (claims === 0) return { ...undecided('could not be judged: the judge found no claim in the answers'), ...kept };
  const score = supported / claims;
  const figures = `${supported} of ${counted(claims, 'claim')} supported`;
  const [example] = criteria.filter(({ answer }) => answer !== 'met');
  const reason = example ? `${figures}; ${example.text} (${example.reason})` : figures;
  if (score >= passThreshold) return { state: 'pass', score, reason, ...kept };
  if ((supported + unproven) / claims < passThreshold) return { state: 'fail', score, reason, ...kept };
  const doubtful = criteria.find(({ answer }) => answer === 'cannot-tell');
  return { ...undecided(`could not be judged: ${figures}; ${doubtful?.text} (${doubtful?.reason})`), score, ...kept };
}
