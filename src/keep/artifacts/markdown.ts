import type { Interaction } from '../../domain/interaction.ts';
import { isPartlyJudged } from '../../domain/outcome.ts';
import type { TrialRecord } from '../../domain/record.ts';
import { grouped } from '../../shared/format.ts';
import { printable } from '../../shared/text.ts';

/** Terminal control sequences: colours, cursor movements, titles. */
const terminalCode =
  /\u001B(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001B]{0,4096}(?:\u0007|\u001B\\)?|[ -/]*[0-~])|\u009B[0-?]*[ -/]*[@-~]/g;
/** Invisible characters, and those that reverse the reading direction. */
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
  const kept = lines.length <= mostLines ? lines : ends(lines, mostLines);
  return kept.map((line) => shortened(line, longestLine));
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

/** Longer than every run of backticks in the text, so none of them ends it. */
function fenceFor(text: string, least: number): string {
  const longest = (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0);
  return '`'.repeat(Math.max(least, longest + 1));
}

const longestReason = 300;

/** How many gates there were, and how many passed. */
export function gateCounts({ gates }: Pick<TrialRecord, 'gates'>): { readonly passed: number; readonly total: number } {
  return { passed: gates.filter(({ passed }) => passed).length, total: gates.length };
}

/** `Pass`, `Fail: 2/3 gates passed`, `Fail: <why>`, `Error: <why it could not be judged>` or `Skipped: <why>`. */
export function outcomeText(record: Pick<TrialRecord, 'outcome' | 'reason' | 'gates' | 'fault'>): string {
  if (isPartlyJudged(record)) return `Pass (${printable(visibleText(record.fault?.message ?? '')).trim()})`;
  if (record.outcome === 'pass') return 'Pass';
  const { passed, total } = gateCounts(record);
  if (record.outcome === 'fail' && passed < total) return `Fail: ${passed}/${total} gates passed`;
  const reason = shortened(printable(visibleText(record.reason)).trim(), longestReason);
  return `${outcomeWords[record.outcome]}: ${reason}`;
}

const outcomeWords = { fail: 'Fail', error: 'Error', skipped: 'Skipped' } as const;

/** A score in a word. */
export function scoreTier(score: number): 'Excellent' | 'Good' | 'Acceptable' | 'Poor' {
  if (score >= 0.9) return 'Excellent';
  if (score >= 0.7) return 'Good';
  return score >= 0.5 ? 'Acceptable' : 'Poor';
}

/** How the agent got on with the tool, as rows of a table. */
export function efficiencyRows(interaction: Interaction): string[][] {
  return [
    ['Commands', `${interaction.total_commands} (${interaction.unique_commands} unique)`],
    ['Errors', `${interaction.error_count} (${percent(interaction.error_rate)})`],
    ['Retries', `${interaction.retry_count} (${percent(interaction.retry_rate)})`],
    ['Retries after a failure', String(interaction.retries_after_failure)],
    ['Help requests', String(interaction.help_invocations)],
    ['First-try success', percent(interaction.first_try_success_rate)],
    ['Iteration ratio', interaction.iteration_ratio.toFixed(2)],
    ['Completed', interaction.completed === null ? 'unknown' : interaction.completed ? 'yes' : 'no'],
    ['Commands known from', sources[interaction.source]],
  ];
}

/** `33.3 %` */
export function percent(share: number): string {
  return `${Number((share * 100).toFixed(1))} %`;
}

const sources = {
  recorder: 'the recorder',
  'agent-events': 'the events of the agent',
  'events-file': 'events.jsonl',
  transcript: 'the transcript (approximate)',
  none: 'nothing',
} as const;
