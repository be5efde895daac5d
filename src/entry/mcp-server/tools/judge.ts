import * as z from 'zod';
import { AssayError } from '../../../domain/errors.ts';
import { type JudgeOutput, judgeInputSchema, judgeOutputSchema } from '../../../domain/judge-protocol.ts';
import { judgeProtocol } from '../../../score/criteria/index.ts';
import { defineTool, onlyReads } from '../served-tool.ts';
import { boundedAnswer, clipped } from '../text.ts';

const criteria = z.array(z.string()).max(500).default([]);

/** The boolean judge protocol. */
export const judge = defineTool({
  name: 'judge',
  title: 'Judge a result by boolean criteria',
  description:
    'Judge a result by boolean expressions such as `result.total === 12` or `error === undefined`; no model is prompted and nothing is run. PASS when every pass criterion is true and no fail criterion is. Criteria may use `result`, `error`, `input` and `expected`; each comes back with an explanation. Use it to try out criteria before writing them into a scenario.',
  annotations: onlyReads,
  inputSchema: z.strictObject({
    testScenario: z
      .strictObject({
        name: z.string().describe('name of the case'),
        input: z.record(z.string(), z.unknown()).default({}).describe('available to criteria as `input`'),
        expectedBehavior: z.string().optional(),
      })
      .describe('the test'),
    actualResult: z
      .unknown()
      .describe('result, any JSON; a text that begins with `Error:` is available to criteria as `error`'),
    passCriteria: criteria.describe('expressions that must all be true'),
    failCriteria: criteria.describe('expressions that must all be false'),
  }),
  outputSchema: judgeOutputSchema,
  async call(given) {
    const input = judgeInputSchema.parse({ ...given, actualResult: given.actualResult ?? null });
    const { output, unusable } = judgeProtocol(input);
    if (unusable.length > 0) {
      const defects = unusable.map(
        ({ criterion, message, column }) => `\`${criterion}\`: ${message} (column ${column})`,
      );
      const hint = unusable.find((defect) => defect.hint)?.hint;
      throw new AssayError('CRITERION_UNUSABLE', clipped(defects.join('; '), 2_000), { hint });
    }
    return { data: output, text: boundedAnswer(judgedLines(output)) };
  },
});

function judgedLines({ verdict, summary, passCriteriaEvaluation, failCriteriaEvaluation }: JudgeOutput): string[] {
  const line = (isGood: boolean, criterion: string, explanation: string) =>
    `${isGood ? 'ok ' : 'NOT'} ${clipped(criterion, 200)}: ${clipped(explanation)}`;
  return [
    `${verdict}: ${clipped(summary.reason)}`,
    ...passCriteriaEvaluation.details.map(({ criterion, result, explanation }) => line(result, criterion, explanation)),
    ...failCriteriaEvaluation.details.map((detail) => line(!detail.triggered, detail.criterion, detail.explanation)),
  ];
}
