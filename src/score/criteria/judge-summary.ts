import type { JudgeConfidence, JudgeOutput } from '../../domain/judge-protocol.ts';
import type { CriterionDefect } from './criterion-error.ts';

/** One criterion with what was found out about it. */
export interface JudgedCriterion {
  criterion: string;
  state: 'met' | 'not-met' | 'unusable';
  explanation: string;
  defect: CriterionDefect | undefined;
}

/** Sums a judgement up by the decision tree: pass failures first, then fail conditions. */
export function summarize(
  passes: readonly JudgedCriterion[],
  fails: readonly JudgedCriterion[],
  confidence: JudgeConfidence,
): JudgeOutput['summary'] {
  const missed = passes.filter(({ state }) => state !== 'met');
  const triggered = fails.filter(({ state }) => state === 'met');
  const unclear = fails.filter(({ state }) => state === 'unusable');
  if (missed.length + triggered.length + unclear.length === 0) {
    return {
      verdict: 'PASS',
      reason: `All ${passes.length} pass criteria met, 0 fail criteria triggered`,
      confidence,
      recommendation: 'Test passed successfully. Tool behavior matches expected specification.',
    };
  }
  const sentences: string[] = [];
  if (missed.length > 0) sentences.push(`${missed.length} of ${passes.length} pass criteria failed: ${list(missed)}`);
  else if (triggered.length > 0) sentences.push(`${conditions(triggered)} triggered: ${list(triggered)}`);
  if (unclear.length > 0) sentences.push(`${conditions(unclear)} cannot be evaluated: ${list(unclear)}`);
  return {
    verdict: 'FAIL',
    reason: sentences.join('. '),
    confidence,
    recommendation: recommend(missed, triggered, unclear),
  };
}

function conditions({ length }: readonly JudgedCriterion[]): string {
  return length === 1 ? '1 fail condition' : `${length} fail conditions`;
}

function list(judged: readonly JudgedCriterion[]): string {
  return judged.map(({ criterion, defect }) => criterion + (defect ? ` (${describeDefect(defect)})` : '')).join('; ');
}

function describeDefect({ column, message }: CriterionDefect): string {
  return `column ${column}: ${message}`;
}

function recommend(
  missed: readonly JudgedCriterion[],
  triggered: readonly JudgedCriterion[],
  unclear: readonly JudgedCriterion[],
): string {
  const defective = [...missed, ...unclear].find(({ defect }) => defect !== undefined);
  if (defective?.defect !== undefined) {
    const { column, hint } = defective.defect;
    const advice = hint === undefined ? '' : ` Hint: ${hint}${hint.endsWith('?') ? '' : '.'}`;
    return `Correct the test before judging the tool: look at column ${column} of \`${defective.criterion}\`.${advice}`;
  }
  const [firstMissed] = missed;
  if (firstMissed !== undefined) {
    return `Test failed. Compare the tool's behavior with the specification, starting here: ${firstMissed.explanation}.`;
  }
  return `Test failed. The tool did what it must not do, starting here: ${triggered[0]?.explanation ?? ''}.`;
}
