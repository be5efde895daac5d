import * as z from 'zod';
import { criterionAnswerSchema, type JudgedCriterion } from '../../../domain/judge-result.ts';
import { idProblem, readReply, replyJsonSchema } from '../../../drive/models/prompting/read-reply.ts';
import { canonicalJson } from '../../../shared/json.ts';
import {
  authorLines,
  authorNotes,
  composePrompt,
  promptOf,
  subjectLines,
  traceShare,
  withAdditions,
} from '../compose-prompt.ts';
import { decideByCriteria, isUndecided } from '../decide-by-criteria.ts';
import { discardedQuote, provenAnswer, quoteComplaint, quoteSchema, verifyEvidence } from '../evidence.ts';
import { type ConfigSharing, defineJudgeMode, type JudgeConclusion } from '../judge.ts';
import { type CriteriaConfig, criteriaConfigSchema } from '../mode-configs.ts';
import promptText from '../prompts/criteria.v3.md?raw';
import { type ShownTrace, showTrace } from '../show-trace.ts';

const prompt = promptOf(promptText);

const replySchema = z.object({
  criteria: z.array(
    z.object({
      id: z.string(),
      reasoning: z.string(),
      evidence: z.array(quoteSchema),
      answer: criterionAnswerSchema,
    }),
  ),
  confidence: z.number().min(0).max(1).optional(),
});
type Reply = z.output<typeof replySchema>;
/** The confidence of a judge decides nothing, so it is not requested. */
const output = {
  name: 'criteria_verdict',
  schema: replyJsonSchema(replySchema.omit({ confidence: true })),
};
type RequestedCriterion = Pick<JudgedCriterion, 'id' | 'kind' | 'text'>;

/** Criteria of several evaluators of a trial as those of one judge. */
const sharing: ConfigSharing = {
  key: (config) => {
    const { instructions, references, evidenceFrom } = config as CriteriaConfig;
    return canonicalJson({ instructions, references, evidenceFrom });
  },
  size: (config) => criteriaOf(config as CriteriaConfig).length,
  together(configs) {
    const [first, ...others] = configs as readonly [CriteriaConfig, ...CriteriaConfig[]];
    const all = (key: 'successCriteria' | 'failureCriteria') =>
      [first, ...others].flatMap((config) => config[key] ?? []);
    return { ...first, successCriteria: all('successCriteria'), failureCriteria: all('failureCriteria') };
  },
  own(configs, index, answer) {
    const { criteria: answered, fault, score: _score, ...rest } = answer;
    // An unreadable reply decides nothing for any of them.
    if (!answered || (fault && !isUndecided(fault))) return answer;
    const before = configs.slice(0, index).flatMap((config) => criteriaOf(config as CriteriaConfig));
    const placeOf = (kind: string): number => before.filter((criterion) => criterion.kind === kind).length;
    const own = criteriaOf(configs[index] as CriteriaConfig).map((criterion): JudgedCriterion => {
      const { id, kind } = criterion;
      const found = answered.find((one) => one.id === `${kind}-${placeOf(kind) + Number(id.slice(kind.length + 1))}`);
      return found ? { ...found, id } : { ...criterion, answer: 'cannot-tell', reason: 'no answer', evidence: [] };
    });
    return { ...rest, ...decideByCriteria(own), criteria: own };
  },
};

/** Success and failure criteria in plain words, each answered with evidence. */
export const criteria = defineJudgeMode({
  mode: 'criteria',
  summary: 'success and failure criteria in plain words: met, not met or undecided, each with evidence',
  promptVersion: 'criteria.v3',
  configSchema: criteriaConfigSchema,
  rejectsInaction: (config) => criteriaOf(config).some(({ kind }) => kind === 'success'),
  sharing,
  prepare(config) {
    const requested = criteriaOf(config);
    const ids = requested.map(({ id }) => id);
    return (bareSubject, settings) => {
      const subject = withAdditions(bareSubject, config);
      const { redact, tokenBudget } = settings;
      const { evidenceFrom } = subject;
      const renderedTrace = showTrace(subject, { redact, tokenBudget: tokenBudget * traceShare, evidenceFrom });
      const data = { data: [...subjectLines(subject, settings), ...renderedTrace.lines] };
      const trusted = {
        criteria: authorLines(
          requested.map(({ text }) => text),
          settings,
          (index) => `- ${requested[index]?.id}:`,
        ),
        notes: authorNotes(subject, settings),
      };
      return {
        ...composePrompt(prompt, { data, trusted, evidenceFrom }, settings),
        output,
        maxOutputTokens: 2_000 + 500 * requested.length,
        read: (text) => {
          const answeredIds = (reply: Reply) => reply.criteria.map(({ id }) => id);
          const reading = readReply(text, replySchema, (reply) => idProblem(ids, answeredIds(reply)));
          if (!reading.isReadable) return reading;
          const value = conclude(requested, reading.value, renderedTrace);
          const complaint = quoteComplaint((value.criteria ?? []).flatMap(({ evidence }) => evidence));
          return { ...reading, value, complaint };
        },
      };
    };
  },
});

function criteriaOf(config: CriteriaConfig): RequestedCriterion[] {
  const listed = (texts: string | readonly string[] | undefined, kind: 'success' | 'failure') =>
    [texts ?? []].flat().map((text, index) => ({ id: `${kind}-${index + 1}`, kind, text }));
  return [...listed(config.successCriteria, 'success'), ...listed(config.failureCriteria, 'failure')];
}

function conclude(requested: readonly RequestedCriterion[], reply: Reply, renderedTrace: ShownTrace): JudgeConclusion {
  const judged = requested.flatMap((criterion): JudgedCriterion[] => {
    const answered = reply.criteria.find(({ id }) => id === criterion.id);
    if (answered === undefined) return [];
    const evidence = verifyEvidence(answered.evidence, renderedTrace);
    const answer = provenAnswer(answered.answer, evidence);
    const missing = answer === answered.answer ? undefined : `the judge gave no quote for "${answered.answer}"`;
    const reason = discardedQuote(evidence) ?? missing ?? answered.reasoning;
    return [{ ...criterion, answer, reason, evidence }];
  });
  return { ...decideByCriteria(judged), criteria: judged, confidence: reply.confidence, warnings: [] };
}
