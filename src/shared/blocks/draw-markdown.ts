import { inline, visible, visibleLine } from '../text.ts';
import {
  type Block,
  type Item,
  marks,
  type Section,
  type Span,
  shownSections,
  type Table,
  type Words,
} from './block.ts';

/** Sections as a page of Markdown; nothing in them can become markup. */
export function drawMarkdown(sections: readonly Section[]): string {
  return `${shownSections(sections).map(sectionText).join('\n\n')}\n`;
}

function sectionText({ title, level = 2, blocks }: Section): string {
  const heading = title === undefined ? [] : [`${'#'.repeat(level)} ${wordsText(title)}`];
  return [...heading, ...blocks.map(blockText)].filter((part) => part !== '').join('\n\n');
}

function blockText(block: Block): string {
  switch (block.kind) {
    case 'text':
      return wordsText(block.words);
    case 'list':
      return block.items.map(itemText).join('\n');
    case 'code':
      return fenced(block.text, block.language);
    case 'table':
      return tableText(block);
  }
}

function itemText({ words, mark, name, below = [] }: Item): string {
  const sign = mark === undefined || mark === 'note' ? '' : `${marks[mark][0]} `;
  const start = name === undefined ? '' : `**${inlined(name)}**: `;
  return [`- ${sign}${start}${wordsText(words)}`, ...below.map((line) => `  - ${wordsText(line)}`)].join('\n');
}

function tableText({ columns, rows }: Table): string {
  if (rows.length === 0) return '';
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [
    line(columns.map(({ head }) => inlined(head))),
    `|${columns.map(({ isFigure }) => (isFigure ? '---:' : '---')).join('|')}|`,
    ...rows.map(({ cells }) => line(columns.map((_, index) => wordsText(cells[index] ?? '', '\\|')))),
  ].join('\n');
}

function wordsText(words: Words, bar = '|'): string {
  return (typeof words === 'string' ? [words] : words)
    .map((part) => spanText(typeof part === 'string' ? { text: part } : part, bar))
    .join('');
}

/** A backtick would end the span, and a bar the cell of a table. */
function spanText({ text, tone, isCode }: Span, bar: string): string {
  if (isCode) return `\`${visibleLine(text).replaceAll('`', "'").replaceAll('|', bar)}\``;
  return tone === 'strong' ? `**${inlined(text)}**` : inlined(text);
}

function inlined(text: string): string {
  return inline(visibleLine(text));
}

/** The fence is longer than any in the text. */
function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${visible(text).trimEnd()}\n${fence}`;
}
