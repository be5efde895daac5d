const many = 1_000;
const largestShare = 0.01;

/** Whether the sum of so many values is as good as normal: no single one makes up much of what it varies by. */
export function hasNormalSum(deviations: readonly number[]): boolean {
  if (deviations.length < many) return false;
  let largest = 0;
  let sum = 0;
  for (const deviation of deviations) {
    const square = deviation * deviation;
    largest = Math.max(largest, square);
    sum += square;
  }
  return largest <= largestShare * sum;
}
