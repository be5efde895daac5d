import { printable, wellFormed } from '../../../shared/text.ts';

/** What is not seen, or turns the direction of reading round. */
const invisible = /[\u00AD\u061C\u200B-\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB]/g;
const longest = 500;

/** Foreign text on one line, as long as a reader has patience for, without what cannot be seen. */
export function oneLine(text: string, mostCharacters = longest): string {
  const line = printable(text).replace(invisible, '\uFFFD').trim();
  return wellFormed(line.length <= mostCharacters ? line : `${line.slice(0, mostCharacters)}…`);
}

/**
 * Foreign text in an HTML block of a Markdown page. GitHub reads neither markup nor mentions, issue numbers, links or
 * emoji in `code`, and inside an HTML block nothing but the characters of HTML has a meaning.
 */
export function inertCode(text: string, mostCharacters = longest): string {
  return `<code>${oneLine(text, mostCharacters).replace(/[&<>"']/g, (character) => entities[character] ?? '')}</code>`;
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
