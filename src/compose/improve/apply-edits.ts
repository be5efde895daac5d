import type { TextEdit } from '../../domain/improvement.ts';
import { shorten } from '../../shared/text.ts';

/** The text after the edits, or why they cannot be made. */
type EditedText = { readonly text: string } | { readonly problem: string };

/** Longer versions cost more in every trial than they can be worth. */
const mostCharacters = 200_000;

/** Makes edits one after the other; each must name a place that exists exactly once. */
export function applyEdits(original: string, edits: readonly TextEdit[]): EditedText {
  let text = original;
  for (const { find, replace } of edits) {
    if (find === '') {
      text = `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${replace}${replace.endsWith('\n') ? '' : '\n'}`;
      continue;
    }
    const places = text.split(find).length - 1;
    if (places === 0) return { problem: `the file does not hold the text to replace: ${quoted(find)}` };
    if (places > 1) return { problem: `the file holds the text to replace ${places} times: ${quoted(find)}` };
    // As a function: `$&` in the new text is text.
    text = text.replace(find, () => replace);
  }
  if (text === original) return { problem: 'the edits change nothing' };
  if (text.trim() === '') return { problem: 'the edits leave an empty file' };
  return text.length > mostCharacters ? { problem: `the file would have ${text.length} characters` } : { text };
}

function quoted(text: string): string {
  return JSON.stringify(shorten(text, 80));
}
