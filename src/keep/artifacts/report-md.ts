import { coverageLines } from '../../domain/coverage-text.ts';
import type { Interaction } from '../../domain/interaction.ts';
import { markSentences } from '../../domain/marks.ts';
import { eventsOf, type TraceEventOf } from '../../domain/trace.ts';
import { costText, formatDuration, grouped } from '../../shared/format.ts';
import { pascalCase } from './json-files.ts';
import {
  codeBlock,
  codeSpan,
  efficiencyRows,
  gateCounts,
  inline,
  outcomeText,
  percent,
  scoreTier,
  shortenedLines,
  table,
} from './markdown.ts';
import type { TrialStory } from './trial-facts.ts';

const mostPromptLines = 60;
const mostListed = 30;

/** Everything about how a trial was run and what was measured, for a person who wants the details. */
export function reportMd(story: TrialStory): string {
  const { facts, record } = story;
  const sections = [
    [`# Report: ${inline(facts.scenario)}`],
    ['## Scenario', '', ...scenario(story)],
    ['## Execution', '', ...execution(story)],
    ['## Evaluation Metrics', '', ...evaluation(story)],
    ['## Efficiency', '', ...(record.interaction === null ? ['Not measured.'] : efficiency(record.interaction))],
  ];
  return `${sections.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

function scenario({ facts, record }: TrialStory): string[] {
  return [
    `- **Name**: ${inline(facts.scenario)}`,
    `- **Description**: ${inline(facts.description)}`,
    `- **File**: ${codeSpan(record.file)}, content ${codeSpan(facts.scenarioHash.slice(0, 12))}`,
    ...(facts.prompt === null ? [] : ['', 'Task:', '', ...codeBlock(shortenedLines(facts.prompt, mostPromptLines))]),
  ];
}

function execution({ facts, trace, record }: TrialStory): string[] {
  const isolation = facts.isolation === null ? [] : [`- **Isolation**: ${inline(facts.isolation)}`];
  return [
    `- **Tool**: ${inline([facts.tool, facts.toolVersion ?? ''].join(' '))}${facts.isScripted ? ' (scripted: no model decided anything)' : ''}`,
    `- **Model**: ${inline(facts.model)}`,
    ...(facts.guidance === null ? [] : [`- **Guidance**: ${inline(facts.guidance)}`]),
    ...(facts.targetVersion === null ? [] : [`- **Target Version**: ${inline(facts.targetVersion)}`]),
    ...isolation,
    `- **Started**: ${new Date(record.startedAt).toISOString()}`,
    `- **Duration**: ${formatDuration(record.durationMs)}`,
    `- **Cost**: ${record.costUsd === null ? 'not reported' : costText(record.costUsd)}`,
    `- **Token Usage**: ${facts.usage === null ? 'not reported' : `${grouped(facts.usage.input)} in, ${grouped(facts.usage.output)} out`}`,
    `- **Outcome**: ${inline(outcomeText(record))}`,
    ...markSentences(record).map((sentence) => `- **Stood in**: ${inline(sentence)}`),
    `- **Trial**: ${codeSpan(record.trialId)} of run ${codeSpan(record.runId)}, repeat ${record.repeat}`,
    ...scripts(
      'Setup Commands',
      eventsOf(trace, 'script').filter(({ phase }) => phase !== 'post'),
    ),
    ...scripts(
      'Post Scripts',
      eventsOf(trace, 'script').filter(({ phase }) => phase === 'post'),
    ),
    ...coverageLines(record.coverage).map((line) => `- ${inline(line)}`),
    ...notices(eventsOf(trace, 'notice')),
  ];
}

function scripts(title: string, events: readonly TraceEventOf<'script'>[]): string[] {
  if (events.length === 0) return [];
  return ['', `### ${title}`, '', ...events.map(scriptLine)];
}

function scriptLine({ command, exitCode, signal, timedOut, durationMs }: TraceEventOf<'script'>): string {
  const end = timedOut ? 'timed out' : exitCode === null ? `ended by ${signal ?? 'a signal'}` : `exit ${exitCode}`;
  const time = durationMs === undefined ? '' : `, ${formatDuration(durationMs)}`;
  return `- ${exitCode === 0 && !timedOut ? '✓' : '✗'} ${codeSpan(command)} (${end}${time})`;
}

function notices(events: readonly TraceEventOf<'notice'>[]): string[] {
  return events.length === 0 ? [] : ['', '### Notices', '', ...listed(events.map(({ message }) => inline(message)))];
}

function evaluation({ record }: TrialStory): string[] {
  const { passed, total } = gateCounts(record);
  const { judge, compositeScore } = record;
  return [
    `- **Gates Passed**: ${passed}/${total}`,
    `- **Judge Score**: ${judge?.score === undefined ? 'none' : `${judge.score.toFixed(2)} (${scoreTier(judge.score)})`}`,
    ...(compositeScore === null
      ? []
      : [`- **Composite Score**: ${compositeScore.toFixed(2)} (${scoreTier(compositeScore)})`]),
    '',
    '### Gate Details',
    '',
    ...(record.gates.length === 0 ? ['No gates.'] : []),
    ...record.gates.map(
      (gate) => `- ${gate.passed ? '✓' : '✗'} ${codeSpan(pascalCase(gate.gate_type))}: ${inline(gate.message)}`,
    ),
  ];
}

function efficiency(interaction: Interaction): string[] {
  const subcommands = Object.entries(interaction.subcommands).slice(0, mostListed);
  const rows = subcommands.map(([name, figures]) => [
    inline(name),
    String(figures.total_commands),
    String(figures.error_count),
    String(figures.help_invocations),
    percent(figures.first_try_success_rate),
  ]);
  return [
    ...table(['Metric', 'Value'], efficiencyRows(interaction)),
    ...(rows.length === 0 ? [] : ['', '### Subcommands', '']),
    ...(rows.length === 0 ? [] : table(['Subcommand', 'Commands', 'Errors', 'Help', 'First-try success'], rows)),
    ...titled(
      'Sources That Disagree',
      interaction.disagreements.map(({ message }) => inline(message)),
    ),
    ...titled(
      'Commands That Bypassed the Recorder',
      interaction.unrecorded.map((command) => codeSpan(command)),
    ),
  ];
}

function titled(title: string, texts: readonly string[]): string[] {
  return texts.length === 0 ? [] : ['', `### ${title}`, '', ...listed(texts)];
}

function listed(texts: readonly string[]): string[] {
  const more = texts.length - mostListed;
  return [...texts.slice(0, mostListed).map((text) => `- ${text}`), ...(more > 0 ? [`- … and ${more} more`] : [])];
}
