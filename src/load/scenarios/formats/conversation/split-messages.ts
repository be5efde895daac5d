import type { Problem } from '../../../../domain/problem.ts';
import type { ParsedSource } from '../../../sources/parsed-source.ts';

const key = 'userMessages';

/** Warns about sentences that YAML split at a comma: `[A table on Friday, please.]` is a list of two. */
export function splitMessages(messages: readonly unknown[], source: ParsedSource): Problem[] {
  return messages.flatMap((text, index) => {
    const before = messages[index - 1];
    if (typeof text !== 'string' || typeof before !== 'string' || !continues(before, text)) return [];
    const [start, at] = [source.locate([key, index - 1]), source.locate([key, index])];
    const isUnquoted = at.line === start.line && at.column === start.column + before.length + ', '.length;
    if (!isUnquoted) return [];
    const message = `"${text}" is the ${index + 1}. message: YAML splits a list without quotes at its commas`;
    return [{ at, message, hint: `Write ["${before}, ${text}"] if it is one sentence.` }];
  });
}

/** The beginning of a sentence without its end, and more of it. */
function continues(before: string, text: string): boolean {
  return /^\p{Lu}.* .*[\p{L}\p{N}]$/u.test(before) && /^\p{Ll}/u.test(text);
}
