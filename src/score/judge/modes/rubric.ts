import type { Rubric } from '../../../domain/rubric.ts';
import { readReply, replyJsonSchema } from '../../../drive/models/prompting/read-reply.ts';
import { templateOf } from '../../../drive/models/prompting/template.ts';
import { authorLines, composePrompt, rulesVersion, subjectData, traceShare, withAdditions } from '../compose-prompt.ts';
import { concludeRubric } from '../conclude-rubric.ts';
import { quoteComplaint } from '../evidence.ts';
import { defineJudgeMode, type PromptSettings } from '../judge.ts';
import { rubricConfigSchema } from '../mode-configs.ts';
import templateText from '../prompts/rubric.v1.md?raw';
import { askedRubricReplySchema, coverageProblem, rubricReplySchema } from '../rubric-reply.ts';
import { showTrace } from '../show-trace.ts';

const template = templateOf(templateText);

/** A weighted rubric; the weighted score is recomputed and compared with the threshold. */
export const rubric = defineJudgeMode({
  mode: 'rubric',
  summary: 'a weighted rubric: a score from 0 to 1 for each criterion, the weighted score recomputed',
  promptVersion: `rubric.v1+${rulesVersion}`,
  configSchema: rubricConfigSchema,
  prepare(config) {
    const ids = config.rubric.criteria.map(({ id }) => id);
    const schema = replyJsonSchema(askedRubricReplySchema(ids));
    return (bareSubject, settings) => {
      const subject = withAdditions(withAdditions(bareSubject, config.rubric), config);
      const { evidenceFrom } = subject;
      const tokenBudget = settings.tokenBudget * traceShare;
      const shown = showTrace(subject, { ...settings, tokenBudget, evidenceFrom });
      const data = { ...subjectData(subject, settings), trace: shown.lines };
      const trusted = {
        criteria: rubricLines(config.rubric, settings),
        instructions: authorLines(subject.instructions ?? [], settings),
      };
      return {
        ...composePrompt(template, { data, trusted, evidenceFrom }, settings.nonce),
        output: { name: 'rubric_response', schema },
        maxOutputTokens: 2_000 + 500 * ids.length,
        read: (text) => {
          const reading = readReply(text, rubricReplySchema, (reply) => coverageProblem(ids, reply));
          if (!reading.isReadable) return reading;
          const value = concludeRubric(config, reading.value, shown);
          const complaint = quoteComplaint((value.criteria ?? []).flatMap(({ evidence }) => evidence));
          return { isReadable: true, value, complaint };
        },
      };
    };
  },
});

function rubricLines({ criteria }: Rubric, settings: PromptSettings): string {
  return authorLines(
    criteria.map(({ description }) => description),
    settings,
    (index) => `- ${JSON.stringify(criteria[index]?.id)}, weight ${criteria[index]?.weight}:`,
  );
}
