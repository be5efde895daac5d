import { percentText } from '../../../../src/reporters/html/figures-text.ts';

/** An interval of shares in percent, with a digit more where its ends would read the same. */
export function intervalText(low: number, high: number): string {
  const [from, to] = [percentText(low), percentText(high)];
  if (from !== to || low === high) return `${from} to ${to}`;
  return `${(low * 100).toFixed(1)} % to ${(high * 100).toFixed(1)} %`;
}
