import {
  type Block,
  code,
  firstOf,
  type Item,
  list,
  marks,
  type Section,
  type Tone,
  table,
  text,
} from '../../shared/blocks/block.ts';
import { counted, formatDuration } from '../../shared/format.ts';
import type { CheckReport } from '../check-report.ts';
import type { Severity } from '../definitions/rule.ts';
import {
  costMethod,
  costTable,
  grouping,
  leftOutLines,
  type ProblemGroup,
  proofHeading,
  proofLines,
  serverFacts,
  toolCells,
  toolHeads,
  totalsText,
} from './report-words.ts';

const severityWords: Readonly<Record<Severity, readonly [word: string, tone: Tone]>> = {
  error: ['ERROR', 'bad'],
  warning: ['WARNING', 'unsure'],
  info: ['INFO', 'quiet'],
  notice: ['NOTICE', 'quiet'],
};

/** The sections of a report but its title and its totals; of long lists, the first `most`. */
export function checkSections(report: CheckReport, most: number): Section[] {
  const facts = [['started as', report.server.label] as const, ...serverFacts(report)];
  const called = report.tools.filter(({ leftOut }) => leftOut === null);
  const proofs = proofHeading(report);
  return [
    { blocks: [list(facts.map(([name, words]) => ({ name, words })))] },
    { title: 'Tools', blocks: [table(toolHeads, called.map(toolCells)), ...coverageBlocks(report)] },
    { title: 'Context cost', blocks: costBlocks(report, most) },
    { title: 'Ambiguous pairs', blocks: proofs === undefined ? [] : [text(proofs, 'quiet'), list(proofLines(report))] },
    ...grouping(report.problems).map((group) => problemSection(group, most)),
  ];
}

/** How many problems there are, how long the check took, and why it was not finished where it was not. */
export function closingBlocks(report: CheckReport): Block[] {
  const { totals, incomplete, durationMs, seed } = report;
  const [sign, tone] = marks[totals.error > 0 ? 'fail' : totals.warning > 0 ? 'error' : 'pass'];
  const took = ` in ${formatDuration(durationMs)}, seed ${seed}`;
  return [
    ...(incomplete === null
      ? []
      : [text([{ text: 'The check could not be finished:', tone: 'bad' }, ` ${incomplete}`])]),
    text([{ text: sign, tone }, ` ${totalsText(report)}`, { text: took, tone: 'quiet' }]),
  ];
}

function coverageBlocks(report: CheckReport): Block[] {
  const { called, total } = report.coverage;
  if (total === 0) return [];
  const cut = report.tools.flatMap(({ name, cutShort }) =>
    cutShort === null ? [] : [`not all calls of ${name}: ${cutShort}`],
  );
  const lines = [...leftOutLines(report), ...cut];
  return [text(`${called} of ${counted(total, 'tool')} called${lines.length > 0 ? '; left out:' : ''}`), list(lines)];
}

/** The heaviest tools by what they cost each kind of client, and the sums. */
function costBlocks(report: CheckReport, most: number): Block[] {
  if (report.tools.length === 0) return [];
  const { heads, rows, sums } = costTable(report);
  const { listed, more } = firstOf(rows, most, (hidden) => `${hidden} more; --json lists all`);
  const [name = '', ...clients] = heads;
  return [
    table([name, ...clients.map((client) => `#${client}`)], [...listed, ...more.map((words) => [words]), ...sums]),
    text(`Counted as ${costMethod(report)}.`, 'quiet'),
  ];
}

function problemSection({ rule, problems }: ProblemGroup, most: number): Section {
  const [word, tone] = severityWords[rule.severity];
  const { listed, more } = firstOf(problems, most, (hidden) => `${hidden} more; --json lists all`);
  const items = listed.map(({ subject, text: words }): Item => {
    const start = subject === '' ? [] : [{ text: `${subject}:`, tone: 'strong' as const }, ' '];
    return { words: [...start, words] };
  });
  return {
    title: [{ text: word, tone }, ` ${rule.summary} `, code(rule.id)],
    blocks: [
      list([...items, ...more]),
      text(`why: ${rule.why}`, 'quiet'),
      text(`fix: ${rule.fix}`),
      ...(rule.clause === null ? [] : [text(`spec: ${rule.clause}`, 'quiet')]),
    ],
  };
}
