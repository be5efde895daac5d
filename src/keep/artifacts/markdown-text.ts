import { printable } from '../../shared/text.ts';
import { shortened, visibleText } from './plain-text.ts';

const longestInline = 600;

/** Text of tools, agents and files on one line of Markdown: it is shown as it is and cannot become markup. */
export function inline(text: string, mostCharacters = longestInline): string {
  const line = shortened(printable(visibleText(text)).trim(), mostCharacters);
  return line.replace(/[\\`*_[\]<>#|~$&!]/g, (character) => `\\${character}`).replace(/^(\d+)?([.)+=-])/, '$1\\$2');
}

/** A command or a name as code on one line, whatever backticks are in it. */
export function codeSpan(text: string, mostCharacters = longestInline): string {
  const line = shortened(printable(visibleText(text)).trim(), mostCharacters);
  const fence = fenceFor(line, 1);
  const padding = /^`|`$/.test(line) || line === '' ? ' ' : '';
  return `${fence}${padding}${line}${padding}${fence}`;
}

/** A text of several lines as code. */
export function codeBlock(lines: readonly string[]): string[] {
  const fence = fenceFor(lines.join('\n'), 3);
  return [`${fence}text`, ...lines, fence];
}

/** A table whose cells are Markdown already. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)];
}

/** Longer than every run of backticks in the text, so that none of them ends it. */
function fenceFor(text: string, least: number): string {
  const longest = (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0);
  return '`'.repeat(Math.max(least, longest + 1));
}
