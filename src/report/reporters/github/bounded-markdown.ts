import { printable, shorten, wellFormed } from '../../../shared/text.ts';

/** A part of a page that can be cut short between its items. */
export interface PageBlock {
  readonly open: string;
  readonly items: readonly PageItem[];
  /** In the unit of the items' weights. */
  readonly total: number;
  /** Text that stands for the hidden items. */
  more(hidden: number): string;
  readonly close: string;
}

interface PageItem {
  readonly text: string;
  /** Its part of the total. */
  readonly weight: number;
}

/** The blocks with as many of their items as fit, the first blocks served first; every block is closed. */
export function fittedText(blocks: readonly PageBlock[], mostBytes: number): string {
  const frames = blocks.map(({ open, close, more, total }) => `${open}${more(total)}${close}`);
  let left = mostBytes - byteLength(frames.join(''));
  return blocks
    .map(({ open, items, total, more, close }) => {
      let text = open;
      let covered = 0;
      for (const item of items) {
        const size = byteLength(item.text);
        if (size > left) break;
        left -= size;
        text += item.text;
        covered += item.weight;
      }
      return `${text}${total > covered ? more(total - covered) : ''}${close}`;
    })
    .join('');
}

function byteLength(text: string): number {
  return Buffer.byteLength(text, 'utf8');
}

/** Invisible characters, and those that turn the direction of reading round. */
const invisible = /[\u00AD\u061C\u200B-\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB]/g;
const longest = 500;

/** Foreign text on one line of bounded length, without invisible characters. */
export function boundedLine(text: string, mostCharacters = longest): string {
  const line = printable(text).replace(invisible, '\uFFFD').trim();
  return wellFormed(shorten(line, mostCharacters));
}

/**
 * Foreign text in an HTML block of a Markdown page. GitHub reads neither markup nor mentions, issue numbers, links or
 * emoji in `code`, and inside an HTML block nothing but the characters of HTML has a meaning.
 */
export function inertCode(text: string, mostCharacters = longest): string {
  return `<code>${boundedLine(text, mostCharacters).replace(/[&<>"']/g, (character) => entities[character] ?? '')}</code>`;
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
