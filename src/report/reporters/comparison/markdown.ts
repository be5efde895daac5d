import { counted } from '../../../shared/format.ts';
import { inline } from '../../../shared/text.ts';
import type { ChangedCase, Comparison, MetricComparison, SubcommandComparison } from '../../compare/comparison.ts';
import {
  comparedText,
  figureLegend,
  foldedFigures,
  isCompared,
  likeTheseCell,
  rowLabel,
  tasksCell,
} from '../../compare/figure-rows.ts';
import { answerTo, changeText, planText, sideTexts } from '../../compare/figure-words.ts';
import { pairwiseTexts } from '../../compare/judged-pairs.ts';
import { caseTitle, changeWords, lookCommand, triesText } from '../../presentation/trial-text.ts';
import { triggeringText } from '../../presentation/triggering-text.ts';
import { sectionsText } from '../table-layout.ts';

const shownCases = 50;

/** The comparison for a web page or a pull request. */
export function comparisonMarkdown(comparison: Comparison): string {
  const { a, b, summary, differences, notes, isForced } = comparison;
  const sides = [a, b].map(({ label, runId, trials }, index) => {
    const run = label === runId ? '' : `, run \`${runId}\``;
    return `- **${index === 0 ? 'A' : 'B'}**: ${inline(label)}${run}, ${counted(trials, 'trial')}`;
  });
  const compared = comparedText(differences);
  const others = differences
    .filter((one) => !isCompared(one))
    .map(({ message, isDecisive }) => `- ${isDecisive ? '⚠️ ' : ''}${inline(message)}`);
  const parts = [
    [`# ${inline(summary)}`],
    [...sides, ...(compared === undefined ? [] : [`- **Compared**: ${inline(compared)}`])],
    titled(isForced ? 'Not comparable; shown because it was forced' : 'Other differences between A and B', others),
    figureTable(comparison.metrics),
    titled('Skill triggering (each prompt counts once; 95 % intervals)', triggeringItems(comparison)),
    titled('Answers side by side', judgedItems(comparison)),
    caseTable(comparison.changedCases),
    subcommandTable(comparison.subcommands),
    titled('How the tool was used', diagnosisItems(comparison)),
    titled('What you would need to decide for tasks like these', planItems(comparison.metrics)),
    titled(
      'Notes',
      notes.map((note) => `- ${inline(note)}`),
    ),
  ];
  return sectionsText(parts);
}

function triggeringItems({ triggering }: Comparison): string[] {
  if (!triggering) return [];
  return [`- **A**: ${triggeringText(triggering.a)}`, `- **B**: ${triggeringText(triggering.b)}`];
}

function judgedItems({ judged }: Comparison): string[] {
  if (!judged) return [];
  const texts = pairwiseTexts(judged);
  return texts.map((text) => `- ${inline(text)}`);
}

function titled(title: string, lines: readonly string[]): string[] {
  return lines.length > 0 ? [`## ${title}`, '', ...lines] : [];
}

function figureTable(metrics: readonly MetricComparison[]): string[] {
  if (metrics.length === 0) return [];
  const { listed, folded } = foldedFigures(metrics);
  const rows = listed.map((metric) => {
    const answer = answerTo(metric, 'these-tasks');
    const text = inline(tasksCell(metric));
    const emphasized = answer === 'better' || answer === 'worse' ? `**${text}**` : text;
    const cells = [...sideTexts(metric), changeText(metric), emphasized, inline(likeTheseCell(metric))];
    return `| ${inline(rowLabel(metric))} | ${cells.join(' | ')} |`;
  });
  const head = [
    '| figure | A | B | change | on these tasks (95 % interval) | for tasks like these (95 % interval) |',
    '|---|---:|---:|---:|---|---|',
  ];
  const below = [...(folded === undefined ? [] : [inline(folded)]), ...figureLegend(metrics).map(inline)];
  return ['## Figures', '', ...head, ...rows, ...below.flatMap((text) => ['', text])];
}

function caseTable(cases: readonly ChangedCase[]): string[] {
  if (cases.length === 0) return [];
  const rows = cases.slice(0, shownCases).map((changed) => {
    const broken = changed.broken.length > 0 ? `now fails: ${changed.broken.join(', ')}. ` : '';
    const why = inline(`${broken}${changed.reason}`);
    const look = lookCommand(changed);
    const trials = look === '' ? '' : `\`${look}\``;
    return `| ${changeWords[changed.change]} | ${triesText(changed)} | ${inline(caseTitle(changed))} | ${why} | ${trials} |`;
  });
  const more = cases.length - shownCases;
  const head = ['| | A → B | case | why | look |', '|---|---|---|---|---|'];
  return ['## Changed cases', '', ...head, ...rows, ...(more > 0 ? ['', `… and ${counted(more, 'more case')}.`] : [])];
}

function subcommandTable(subcommands: readonly SubcommandComparison[]): string[] {
  if (subcommands.length === 0) return [];
  const rows = subcommands.map(
    ({ subcommand, callsA, callsB, errorsA, errorsB, helpA, helpB }) =>
      `| ${inline(subcommand)} | ${callsA} → ${callsB} | ${errorsA} → ${errorsB} | ${helpA} → ${helpB} |`,
  );
  return ['## Subcommands', '', '| subcommand | calls | errors | help |', '|---|---:|---:|---:|', ...rows];
}

function diagnosisItems({ diagnosis }: Comparison): string[] {
  return diagnosis.flatMap(({ side, findings }) =>
    findings.map(
      ({ title, evidence, advice, isGood }) =>
        `- **${side.toUpperCase()}: ${inline(title)}** (${inline(evidence)})${isGood ? '' : `: ${inline(advice)}`}`,
    ),
  );
}

/** Of the first figure, which is the question; those of the others are in the JSON document. */
function planItems([question]: readonly MetricComparison[]): string[] {
  const plan = question && planText(question);
  return plan ? [`- ${inline(`${question.name}: ${plan}`)}`] : [];
}
