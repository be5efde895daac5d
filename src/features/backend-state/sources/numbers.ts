/** A decimal number as a number where that keeps its worth, else as its digits. */
export function withoutMargin(digits: string): number | string {
  const number = Number(digits);
  const plain = /^-?\d+\.\d+$/.test(digits) ? digits.replace(/\.?0+$/, '') : digits;
  return String(number) === plain ? number : digits;
}
