import * as z from 'zod';
import type { Evidence } from '../../../domain/judge-result.ts';
import { encodeData } from '../../../drive/models/prompting/encode-data.ts';
import { readReply, replyJsonSchema } from '../../../drive/models/prompting/read-reply.ts';
import { authorNotes, composePrompt, promptOf, subjectData, traceShare, withAdditions } from '../compose-prompt.ts';
import { undecided } from '../decide-by-criteria.ts';
import { discardedQuote, isProven, quoteComplaint, quoteSchema, verifyEvidence } from '../evidence.ts';
import { defineJudgeMode, type JudgeConclusion, type JudgeSubject } from '../judge.ts';
import { type ScoreConfig, scoreConfigSchema } from '../mode-configs.ts';
import promptText from '../prompts/score.v2.md?raw';
import { showTrace } from '../show-trace.ts';

const prompt = promptOf(promptText);

const requestedSchema = z.object({
  reasoning: z.string(),
  evidence: z.array(quoteSchema),
  score: z.number().min(0).max(1),
  reason: z.string(),
});
/** Judges that know `{ score, reason }` only are understood too; their missing evidence is reported. */
const replySchema = requestedSchema.partial({ reasoning: true, evidence: true });
type Reply = z.output<typeof replySchema>;

const output = { name: 'workflow_score', schema: replyJsonSchema(requestedSchema) };

/** One score for the whole conversation. */
export const score = defineJudgeMode({
  mode: 'score',
  summary: 'one score from 0 to 1 for the whole conversation, with a reason',
  promptVersion: 'score.v2',
  configSchema: scoreConfigSchema,
  prepare(config) {
    return (bareSubject, settings) => {
      const subject = withSteps(withAdditions(bareSubject, config), config.steps);
      const { maxMessages } = config;
      const tokenBudget = settings.tokenBudget * traceShare;
      const { evidenceFrom } = subject;
      const renderedTrace = showTrace(subject, { ...settings, tokenBudget, maxMessages, evidenceFrom });
      const { references, task, expected } = subjectData(subject, settings);
      const data = { data: [...references, ...task], trace: renderedTrace.lines, expected };
      const trusted = {
        name: encodeData(settings.redact(subject.name)),
        notes: authorNotes(subject, settings),
      };
      return {
        ...composePrompt(prompt, { data, trusted, evidenceFrom }, settings),
        output,
        maxOutputTokens: 2_000,
        read: (text) => {
          const reading = readReply(text, replySchema);
          if (!reading.isReadable) return reading;
          const evidence = verifyEvidence(reading.value.evidence ?? [], renderedTrace);
          const value = conclude(config, reading.value, evidence);
          return { ...reading, value, complaint: quoteComplaint(evidence) };
        },
      };
    };
  },
});

/** The steps of the author behind the other instructions, in their order. */
function withSteps(subject: JudgeSubject, steps: readonly string[] = []): JudgeSubject {
  if (steps.length === 0) return subject;
  const numbered = steps.map((step, index) => `Step ${index + 1} of the evaluation: ${step}`);
  return { ...subject, instructions: [...(subject.instructions ?? []), ...numbered] };
}

function conclude(config: ScoreConfig, reply: Reply, evidence: readonly Evidence[]): JudgeConclusion {
  const { passThreshold } = config;
  const isPass = reply.score >= passThreshold;
  const isSilent = evidence.length === 0;
  const isSupported = isProven(evidence) || (isSilent && (config.evidence === 'optional' || !isPass));
  const decision = isSupported
    ? { state: isPass ? ('pass' as const) : ('fail' as const), score: reply.score, reason: reply.reason }
    : undecided(`could not be judged: ${discardedQuote(evidence) ?? 'the judge gave no evidence for its score'}`);
  return {
    ...decision,
    threshold: passThreshold,
    response: { score: reply.score, reason: reply.reason, reasoning: reply.reasoning, evidence },
    warnings: isSilent ? ['The judge gave no evidence for its score'] : [],
  };
}
