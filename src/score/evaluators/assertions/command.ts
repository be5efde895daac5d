import * as z from 'zod';
import { type Answer, defineEvaluator, type EvaluationContext, everythingReported } from '../evaluator.ts';
import { gradeByCommand, graderConfig, graderFailed } from '../grader-command.ts';

const configSchema = () =>
  z.strictObject({
    ...graderConfig(),
    passThreshold: z.number().optional().describe('least `score` that passes, for a command that prints no `passed`'),
  });

type CommandConfig = z.output<ReturnType<typeof configSchema>>;

/** A grader in any language. */
export const command = defineEvaluator({
  type: 'command',
  kind: 'assertion',
  summary: 'a program grades the trial: JSON on stdin, {passed, score?, metrics?, message?} on stdout',
  example: { command: 'python3 grade.py', timeoutSecs: 30 },
  reads: everythingReported,
  looksAtWork: true,
  configSchema,
  prepare: (config) => (context) => grade(config, context),
});

async function grade(config: CommandConfig, context: EvaluationContext): Promise<Answer<'assertion'>> {
  const { passThreshold, ...grader } = config;
  const { passed, score, metrics, message, detail, script } = await gradeByCommand(grader, 'command', context);
  const byScore = score !== undefined && passThreshold !== undefined ? score >= passThreshold : undefined;
  const isPass = passed ?? byScore;
  if (isPass === undefined) throw graderFailed(noVerdict(score !== undefined, passThreshold !== undefined));
  const figures = byScore === undefined ? '' : ` (score ${score}, wanted at least ${passThreshold})`;
  return {
    state: isPass ? 'pass' : 'fail',
    reason: message ?? `The command gave ${isPass ? 'a pass' : 'a fail'}${figures}`,
    value: score ?? (isPass ? 1 : 0),
    metrics,
    ...(detail !== undefined && { metadata: { detail } }),
    findings: { scripts: [script] },
  };
}

function noVerdict(hasScore: boolean, hasThreshold: boolean): string {
  if (hasScore) return 'The command printed a score and no `passed`, and the config has no `passThreshold`.';
  return `The command printed ${hasThreshold ? 'neither `passed` nor `score`' : 'no `passed`'}.`;
}
