import { counted } from '../../shared/format.ts';
import type { EvalResult, EvalSuiteResult } from './eval-types.ts';
import { outputText } from './output/output-text.ts';

const longestOutput = 500;

/** Why a case did not pass: what each scorer said, and the output. */
export function failureText({ scores, overallScore, output, error }: EvalResult, threshold: number): string {
  if (error) return `The task failed: ${error.message}`;
  const lines = scores.map(({ scorerName, score, explanation }) => {
    const why = explanation === undefined ? '' : `: ${explanation}`;
    return `  ${score.toFixed(2)}  ${scorerName}${why}`;
  });
  const head = `The mean score is ${overallScore.toFixed(3)}, less than the threshold of ${threshold}.`;
  return [head, ...lines, `  output: ${shortened(shown(output))}`].join('\n');
}

/** One line for all cases. */
export function statsText(name: string, { stats, passed }: EvalSuiteResult): string {
  const { totalTests, passedTests, averageScore, averageExecutionTime } = stats;
  const cases = `${passedTests} of ${counted(totalTests, 'case')} passed`;
  const figures = `mean score ${averageScore.toFixed(3)}, mean time ${averageExecutionTime.toFixed(0)} ms`;
  return `${name}: ${passed ? 'passed' : 'failed'}; ${cases}, ${figures}`;
}

function shown(output: unknown): string {
  try {
    return JSON.stringify(output) ?? String(output);
  } catch {
    return outputText(String(output));
  }
}

function shortened(text: string): string {
  return text.length > longestOutput ? `${text.slice(0, longestOutput - 1)}…` : text;
}
