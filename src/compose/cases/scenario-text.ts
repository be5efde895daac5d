import { stringify } from 'yaml';
import { printable, wellFormed } from '../../shared/text.ts';

const widestLine = 110;

/** A scenario file in YAML: remarks on top, the data, and drafts in comments below. */
export function scenarioText(
  remarks: readonly string[],
  data: Readonly<Record<string, unknown>>,
  drafts: readonly string[] = [],
): string {
  const body = stringify(data, {
    lineWidth: widestLine,
    aliasDuplicateObjects: false,
    blockQuote: 'literal',
  }).trimEnd();
  const top = remarks.flatMap((remark) => wrapped(printable(remark)));
  return `${wellFormed([...top.map(comment), body, ...drafts.map(comment)].join('\n'))}\n`;
}

function comment(line: string): string {
  return line === '' ? '#' : `# ${line}`;
}

function wrapped(text: string): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + word.length >= widestLine) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

const longestSlug = 60;

/** A text as a part of a file name. */
export function slugOf(text: string): string {
  const slug = text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, longestSlug)
    .replace(/^-+|-+$/g, '');
  return slug === '' ? 'case' : slug;
}
