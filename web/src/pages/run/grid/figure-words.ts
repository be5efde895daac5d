import { figureLabel } from '../../../../../src/report/compare/figure-words.ts';
import { type FigureSign, readFigureCondition } from '../../../../../src/report/compare/grid/figure-condition.ts';

/** The words between a figure and its value. */
export const signWords: Readonly<Record<FigureSign, string>> = {
  '>': 'more than',
  '>=': 'at least',
  '<': 'less than',
  '<=': 'at most',
  '=': 'exactly',
};

/** The unit in which the value of a condition is written; empty where it has none. */
export function unitOf(by: string): string {
  if (by === 'duration' || by.endsWith('-ms')) return 'ms';
  return by === 'cost' || by.endsWith('-usd') ? 'USD' : '';
}

/** A condition of the address in words: `retries more than 2`, `contains failed`; what cannot be read stays as it is. */
export function conditionText(written: string): string {
  const condition = readFigureCondition(written);
  if (!condition) return written;
  const { by, sign, value } = condition;
  if (by.startsWith('e:')) return `${by.slice(2)} ${sign === '=' ? 'passed' : 'failed'}`;
  const name = by === 'duration' ? 'time' : by === 'cost' ? by : figureLabel(by.slice(2));
  return [name, signWords[sign], String(value), unitOf(by)].join(' ').trim();
}
