import * as z from 'zod';
import { judgeOutputSchema } from '../../../domain/judge-protocol.ts';
import { encodeData } from '../../../drive/models/prompting/encode-data.ts';
import { readReply, replyJsonSchema } from '../../../drive/models/prompting/read-reply.ts';
import { templateOf } from '../../../drive/models/prompting/template.ts';
import { compileJudge } from '../../criteria/index.ts';
import { criteriaListSchema } from '../../criteria/source-schemas.ts';
import { authorLines, composePrompt, rulesVersion, showValue, subjectData, withAdditions } from '../compose-prompt.ts';
import { concludeProtocol } from '../conclude-protocol.ts';
import { defineJudgeMode, type PromptSettings } from '../judge.ts';
import { authorAdditions } from '../mode-configs.ts';
import templateText from '../prompts/protocol.v1.md?raw';
import { protocolProblem } from '../protocol-problem.ts';
import { protocolAnswerOf } from '../protocol-subject.ts';

const template = templateOf(templateText);

const configSchema = z.strictObject({
  passCriteria: criteriaListSchema.describe('boolean expressions that must all be true'),
  failCriteria: criteriaListSchema.describe('boolean expressions that must all be false'),
  ...authorAdditions,
});

const inputShare = 1 / 4;
const resultShare = 1 / 2;

/** The boolean judge protocol answered by a model, beside the computed answer, which stands. */
export const protocol = defineJudgeMode({
  mode: 'protocol',
  summary: 'the boolean judge protocol answered by a model, compared with the computed answer',
  promptVersion: `protocol.v1+${rulesVersion}`,
  configSchema,
  rejectsInaction: ({ passCriteria }) => passCriteria.length > 0,
  prepare(config) {
    const schema = replyJsonSchema(askedSchema());
    const compute = compileJudge(config.passCriteria, config.failCriteria);
    return (bareSubject, settings) => {
      const subject = withAdditions(bareSubject, config);
      const answer = protocolAnswerOf(subject.trace);
      const computed = compute({ ...answer, expected: subject.expected }, { testName: subject.name });
      const { expected, references } = subjectData(subject, settings);
      const data = {
        input: inputLines(answer.input, settings),
        actualResult: resultLines(answer, settings),
        expected,
        references,
      };
      const numbered = (index: number) => `${index + 1}.`;
      const trusted = {
        passCriteria: authorLines(config.passCriteria, settings, numbered),
        failCriteria: authorLines(config.failCriteria, settings, numbered),
        instructions: authorLines(subject.instructions ?? [], settings),
        testName: encodeData(subject.name),
      };
      return {
        ...composePrompt(template, { data, trusted }, settings.nonce),
        output: { name: 'judge_output', schema },
        maxOutputTokens: 2_000 + 300 * (config.passCriteria.length + config.failCriteria.length),
        read: (text) => {
          const reading = readReply(text, judgeOutputSchema, (output) => protocolProblem(config, output));
          return reading.isReadable ? { isReadable: true, value: concludeProtocol(computed, reading.value) } : reading;
        },
      };
    };
  },
});

function inputLines(input: unknown, settings: PromptSettings): string[] {
  return input === undefined ? [] : [showValue('input', input, settings, inputShare)];
}

function resultLines(answer: { result?: unknown; error?: unknown }, settings: PromptSettings): string[] {
  const { result, error } = answer;
  return [
    ...(result === undefined ? [] : [showValue('result', result, settings, resultShare)]),
    ...(error === undefined ? [] : [showValue('error', error, settings, resultShare)]),
  ];
}

/** The protocol's output with its fields in another order: explanations before answers, details before counts. */
function askedSchema() {
  const {
    testName,
    verdict,
    passCriteriaEvaluation: pass,
    failCriteriaEvaluation: fail,
    summary,
  } = judgeOutputSchema.shape;
  const passDetail = pass.shape.details.element.shape;
  const failDetail = fail.shape.details.element.shape;
  const passDetails = z.array(
    z.strictObject({
      criterion: passDetail.criterion,
      explanation: passDetail.explanation,
      result: passDetail.result,
    }),
  );
  const failDetails = z.array(
    z.strictObject({
      criterion: failDetail.criterion,
      explanation: failDetail.explanation,
      triggered: failDetail.triggered,
    }),
  );
  const { verdict: summaryVerdict, ...summaryText } = summary.shape;
  return z.strictObject({
    passCriteriaEvaluation: z.strictObject({ details: passDetails, ...without(pass.shape) }),
    failCriteriaEvaluation: z.strictObject({ details: failDetails, ...without(fail.shape) }),
    summary: z.strictObject({ ...summaryText, verdict: summaryVerdict }),
    verdict,
    testName,
  });
}

function without<Shape extends { details: unknown }>({ details: _details, ...counts }: Shape): Omit<Shape, 'details'> {
  return counts;
}
