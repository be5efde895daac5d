import type { Redact } from '../../../shared/redaction/redaction.ts';
import { printable } from '../../../shared/text.ts';

/** Characters of a request or an answer that are kept for the trace. */
const keptLength = 32_768;
/** Longer than any form of a secret that stands at the end of what is kept. */
const margin = 4_096;
const excerptLength = 300;

/** A text as it may be kept: without secrets, and not too long. */
export function keptText(text: string, redact: Redact): string {
  if (text.length <= keptLength) return redact(text);
  const clean = beginningOf(text, keptLength, redact);
  return `${clean}\n… ${text.length - clean.length} characters left out …`;
}

/** The beginning of a text on one line, in quotes, for a message. */
export function excerptOf(text: string, redact: Redact): string {
  const isLong = text.length > excerptLength;
  const shown = isLong ? `${beginningOf(text, excerptLength, redact)}…` : redact(text);
  return `"${printable(shown)}"`;
}

/** Redacted before it is cut: half a secret would not be recognised. */
function beginningOf(text: string, length: number, redact: Redact): string {
  const clean = redact(text.slice(0, length + margin));
  const isWhole = text.length <= length + margin;
  return clean.slice(0, isWhole ? length : Math.min(length, clean.length - margin));
}
