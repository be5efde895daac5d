import { grouped } from '../../shared/format.ts';

/** What terminals take for commands: colours, cursor movements, titles. */
const terminalCode =
  /\u001B(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001B]{0,4096}(?:\u0007|\u001B\\)?|[ -/]*[0-~])|\u009B[0-?]*[ -/]*[@-~]/g;
/** What is not seen, or turns the direction of reading round. */
const invisible = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u200B\u200E\u200F\u202A-\u202E\u2060-\u2069\uFEFF]/g;

/** A text as a person would see it: without terminal codes, and with a mark for each character that cannot be seen. */
export function visibleText(text: string): string {
  return text.replace(terminalCode, '').replace(/\r\n?/g, '\n').replace(invisible, '\uFFFD');
}

/** The beginning of a text, and how much of it is missing. */
export function shortened(text: string, mostCharacters: number): string {
  if (text.length <= mostCharacters) return text;
  const kept = text.slice(0, mostCharacters).replace(/[\uD800-\uDBFF]$/, '');
  return `${kept}… (${grouped(text.length - kept.length)} more characters)`;
}

const longestLine = 400;

/** The lines of a text, the middle ones left out when there are too many, none of them too long. */
export function shortenedLines(text: string, mostLines: number): string[] {
  const lines = visibleText(text).trimEnd().split('\n');
  const shown = lines.length <= mostLines ? lines : ends(lines, mostLines);
  return shown.map((line) => shortened(line, longestLine));
}

function ends(lines: readonly string[], mostLines: number): string[] {
  const tail = Math.floor(mostLines / 3);
  const head = mostLines - tail;
  return [
    ...lines.slice(0, head),
    `… ${grouped(lines.length - head - tail)} lines left out …`,
    ...(tail === 0 ? [] : lines.slice(-tail)),
  ];
}
