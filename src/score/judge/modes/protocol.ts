import * as z from 'zod';
import { type JudgeOutput, judgeOutputSchema } from '../../../domain/judge-protocol.ts';
import { faultOf } from '../../../domain/outcome.ts';
import { encodeData } from '../../../drive/models/prompting/encode-data.ts';
import { readReply, replyJsonSchema } from '../../../drive/models/prompting/read-reply.ts';
import { counted } from '../../../shared/format.ts';
import { lazySchema } from '../../../shared/lazy-schema.ts';
import { compileJudge, unusableCriterion } from '../../criteria/index.ts';
import type { Judgement } from '../../criteria/judge-protocol.ts';
import { criteriaListSchema } from '../../criteria/source-schemas.ts';
import {
  authorLines,
  authorNotes,
  composePrompt,
  promptOf,
  showValue,
  subjectData,
  withAdditions,
} from '../compose-prompt.ts';
import { defineJudgeMode, type JudgeConclusion, type PromptSettings } from '../judge.ts';
import { authorAdditions } from '../mode-configs.ts';
import promptText from '../prompts/protocol.v2.md?raw';
import { protocolAnswerOf } from '../protocol-prompt.ts';

const prompt = promptOf(promptText);

const configSchema = lazySchema(() =>
  z.strictObject({
    passCriteria: criteriaListSchema.describe('boolean expressions that must all be true'),
    failCriteria: criteriaListSchema.describe('boolean expressions that must all be false'),
    ...authorAdditions(),
  }),
);

const inputShare = 1 / 4;
const resultShare = 1 / 2;

/** The boolean judge protocol answered by a model, beside the computed answer, which stands. */
export const protocol = defineJudgeMode({
  mode: 'protocol',
  summary: 'the boolean judge protocol answered by a model, compared with the computed answer',
  promptVersion: 'protocol.v2',
  configSchema,
  rejectsInaction: ({ passCriteria }) => passCriteria.length > 0,
  prepare(config) {
    const schema = replyJsonSchema(requestedSchema());
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
        notes: authorNotes(subject, settings),
        testName: encodeData(subject.name),
      };
      return {
        ...composePrompt(prompt, { data, trusted }, settings),
        output: { name: 'judge_output', schema },
        maxOutputTokens: 2_000 + 300 * (config.passCriteria.length + config.failCriteria.length),
        read: (text) => {
          const reading = readReply(text, judgeOutputSchema, (output) => protocolProblem(config, output));
          return reading.isReadable ? { ...reading, value: concludeProtocol(computed, reading.value) } : reading;
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
function requestedSchema() {
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
    z.object({
      criterion: passDetail.criterion,
      explanation: passDetail.explanation,
      result: passDetail.result,
    }),
  );
  const failDetails = z.array(
    z.object({
      criterion: failDetail.criterion,
      explanation: failDetail.explanation,
      triggered: failDetail.triggered,
    }),
  );
  const { verdict: summaryVerdict, ...summaryText } = summary.shape;
  return z.object({
    passCriteriaEvaluation: z.object({ details: passDetails, ...without(pass.shape) }),
    failCriteriaEvaluation: z.object({ details: failDetails, ...without(fail.shape) }),
    summary: z.object({ ...summaryText, verdict: summaryVerdict }),
    verdict,
    testName,
  });
}

function without<Shape extends { details: unknown }>({ details: _details, ...counts }: Shape): Omit<Shape, 'details'> {
  return counts;
}

/** A criterion on which a model and the computation differ. */
interface Disagreement {
  readonly list: 'pass' | 'fail';
  readonly criterion: string;
  readonly computed: boolean;
  readonly answered: boolean;
  readonly explanation: string;
}

/** The computed verdict, with the model's output and every disagreement beside it. */
function concludeProtocol({ output: computed, unusable }: Judgement, answered: JudgeOutput): JudgeConclusion {
  const disagreements = findDisagreements(computed, answered);
  const response = { output: answered, computed, disagreements };
  const warnings = disagreements.map(
    ({ criterion, computed: was, answered: reply }) => `The judge says ${reply} where ${was} is computed: ${criterion}`,
  );
  const [defect] = unusable;
  if (defect) {
    const fault = faultOf(unusableCriterion(defect));
    return { state: 'error', reason: fault.message, fault, response, warnings };
  }
  const differing =
    disagreements.length === 0
      ? ''
      : `; the judge disagrees on ${counted(disagreements.length, 'criterion', 'criteria')}`;
  const isPass = computed.verdict === 'PASS';
  return {
    state: isPass ? 'pass' : 'fail',
    score: isPass ? 1 : 0,
    reason: `${computed.summary.reason}${differing}`,
    response,
    warnings,
  };
}

/** Every criterion that a model answered differently; both outputs must be about the same lists. */
function findDisagreements(computed: JudgeOutput, answered: JudgeOutput): Disagreement[] {
  const passes = computed.passCriteriaEvaluation.details.map((detail, index) => ({
    list: 'pass' as const,
    criterion: detail.criterion,
    computed: detail.result,
    answer: answered.passCriteriaEvaluation.details[index],
  }));
  const fails = computed.failCriteriaEvaluation.details.map((detail, index) => {
    const answer = answered.failCriteriaEvaluation.details[index];
    return {
      list: 'fail' as const,
      criterion: detail.criterion,
      computed: detail.triggered,
      answer: answer && { ...answer, result: answer.triggered },
    };
  });
  return [...passes, ...fails].flatMap(({ answer, ...criterion }) =>
    answer === undefined || answer.result === criterion.computed
      ? []
      : [{ ...criterion, answered: answer.result, explanation: answer.explanation }],
  );
}

interface ProtocolCriteria {
  readonly passCriteria: readonly string[];
  readonly failCriteria: readonly string[];
}

/** Problem of an output that does not answer its criteria: other criteria, or counts that do not add up. */
function protocolProblem(requested: ProtocolCriteria, output: JudgeOutput): string | undefined {
  const { passCriteriaEvaluation: pass, failCriteriaEvaluation: fail, summary, verdict } = output;
  const passed = pass.details.filter(({ result }) => result).length;
  const triggered = fail.details.filter((detail) => detail.triggered).length;
  const isPass = passed === requested.passCriteria.length && triggered === 0;
  const checks: readonly (readonly [boolean, string])[] = [
    [
      repeats(requested.passCriteria, pass.details),
      'passCriteriaEvaluation must answer every pass criterion, in order',
    ],
    [
      repeats(requested.failCriteria, fail.details),
      'failCriteriaEvaluation must answer every fail criterion, in order',
    ],
    [pass.total === pass.details.length && pass.passed === passed, 'the counts of passCriteriaEvaluation are wrong'],
    [pass.failed === pass.details.length - passed, 'the counts of passCriteriaEvaluation are wrong'],
    [
      fail.total === fail.details.length && fail.triggered === triggered,
      'the counts of failCriteriaEvaluation are wrong',
    ],
    [fail.avoided === fail.details.length - triggered, 'the counts of failCriteriaEvaluation are wrong'],
    [verdict === (isPass ? 'PASS' : 'FAIL'), 'the verdict does not follow from the answers'],
    [summary.verdict === verdict, 'the two verdicts differ'],
  ];
  return checks.find(([holds]) => !holds)?.[1];
}

function repeats(criteria: readonly string[], details: readonly { readonly criterion: string }[]): boolean {
  return criteria.length === details.length && criteria.every((text, index) => details[index]?.criterion === text);
}
