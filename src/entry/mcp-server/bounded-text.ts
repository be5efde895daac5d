import { printable } from '../../shared/text.ts';

const maxAnswerLength = 24_000;

/** A text of foreign origin on one line, cut where it is long; the cut says how much is missing. */
export function clipped(text: string, maxLength = 400): string {
  const line = printable(text.length > maxLength * 4 ? text.slice(0, maxLength * 4) : text).trim();
  if (line.length <= maxLength && text.length <= maxLength * 4) return line;
  return `${line.slice(0, maxLength)}… (${text.length} characters)`;
}

/** A whole answer in words; one that is too long ends with how to see the rest. */
export function boundedAnswer(lines: readonly string[]): string {
  const text = lines.filter((line) => line !== '').join('\n');
  if (text.length <= maxAnswerLength) return text;
  return `${text.slice(0, maxAnswerLength)}\n… cut here: ask for less at a time, with a smaller \`limit\`.`;
}

/** What follows after a page of a list, and how to get it; null after the last. */
export function moreText(shown: { from: number; count: number; total: number }, what: string): string | null {
  const next = shown.from + shown.count;
  return next < shown.total ? `${shown.total - next} more ${what}: call again with from: ${next}` : null;
}
