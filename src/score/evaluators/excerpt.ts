import { cutMiddle, printable, wellFormed } from '../../shared/text.ts';

const maxLength = 300;

/** A text on one line: its head and its tail where it is long, and nothing that could steer a terminal. */
export function shortened(text: string): string {
  return wellFormed(printable(cutMiddle(text.trim(), maxLength)));
}

/** A text on one line, shortened and in quotes. */
export function excerptOf(text: string): string {
  return `"${shortened(text)}"`;
}
