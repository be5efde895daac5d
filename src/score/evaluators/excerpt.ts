import { printable } from '../../shared/text.ts';

const maxLength = 300;
const lonelySurrogates = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

/** A text on one line: its head and its tail where it is long, and nothing that could steer a terminal. */
export function shortened(text: string): string {
  const trimmed = text.trim();
  const half = maxLength / 2;
  const kept = trimmed.length <= maxLength ? trimmed : `${trimmed.slice(0, half)} … ${trimmed.slice(-half)}`;
  return printable(kept).replace(lonelySurrogates, '\uFFFD');
}

/** A text on one line, shortened and in quotes. */
export function excerptOf(text: string): string {
  return `"${shortened(text)}"`;
}
