import { compileCriterion } from '../../../score/criteria/index.ts';

/** How a program that was called ended, as criteria see it. */
export interface CallEnd {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Programs that are not the tool: one that does nothing, one that does something else, and one that repeats its arguments. */
function standIns(argv: readonly string[]): CallEnd[] {
  const outputs = ['', 'Something else happened.\n', `${argv.join(' ')}\n`];
  return outputs.map((stdout) => ({ exitCode: 0, stdout, stderr: '' }));
}

/** Whether every stand-in fails the criteria: a case that one of them passes says nothing about the tool. */
export function isProven(criteria: readonly string[], argv: readonly string[]): boolean {
  const compiled = criteria.map((criterion) => compileCriterion(criterion));
  const passes = (result: CallEnd): boolean => compiled.every((criterion) => criterion.test({ result }));
  return !standIns(argv).some(passes);
}

/** Long enough to be no accident. */
const tellingLength = 8;
const longestText = 80;

/**
 * The criteria of a call by two calls of it: they expect what both did. Undefined where they agree on nothing, or the
 * tool does not do what the case is about. `hides`: texts that a file must not have.
 */
export function criteriaFor(
  isRefused: boolean,
  [first, second]: readonly [CallEnd, CallEnd],
  hides: (text: string) => boolean,
): readonly string[] | undefined {
  if (first.exitCode !== second.exitCode || first.exitCode === null) return undefined;
  if (isRefused !== (first.exitCode !== 0)) return undefined;
  const channel = first.stdout.trim() === '' ? 'stderr' : 'stdout';
  const again = new Set(linesOf(second[channel]));
  const lines = linesOf(first[channel]).filter((line) => again.has(line) && !hides(line));
  const telling = lines.find((line) => line.length >= tellingLength) ?? lines[0];
  if (telling === undefined) return undefined;
  const text = JSON.stringify(telling.slice(0, longestText));
  return [`result.exitCode === ${first.exitCode}`, `result.${channel}.includes(${text})`];
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/[\u0000-\u001f\u007f-\u009f]/.test(line));
}
