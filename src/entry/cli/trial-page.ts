import { createColors } from 'picocolors';
import { figureOf } from '../../domain/figure.ts';
import type { TrialRecord } from '../../domain/record.ts';
import type { Trace } from '../../domain/trace.ts';
import { trialTitle } from '../../report/presentation/trial-text.ts';
import { eventText } from '../../report/reporters/event-text.ts';
import { hasMcpResults, mcpLines, mcpTitle } from '../../report/reporters/mcp-text.ts';
import { formatDuration, unknownFigure } from '../../shared/format.ts';
import { printable } from '../../shared/text.ts';

type Colors = ReturnType<typeof createColors>;

/** All that is known of one trial, for a person who wants to know why. */
export function trialText(record: TrialRecord, trace: Trace, attempts: readonly TrialRecord[], color: boolean): string {
  const colors = createColors(color);
  const head = [
    `${outcomeLabel(record, colors)} ${colors.bold(trialTitle(record))}`,
    `  ${printable(record.reason)}`,
    colors.dim(`  ${record.file}  trial ${record.trialId}  run ${record.runId}  ${formatDuration(record.durationMs)}`),
  ];
  const fault = record.fault ? [`  ${record.fault.code}, blame: ${record.fault.blame}. ${record.fault.hint}`] : [];
  return `${[...head, ...fault, ...originLines(record), ...attemptLines(attempts), ...criteriaLines(record, colors), ...serverLines(record, color), ...evaluatorLines(record, colors), ...traceLines(trace, colors)].join('\n')}\n`;
}

function originLines({ cachedFrom }: TrialRecord): string[] {
  return cachedFrom === null ? [] : [`  Reused from trial ${cachedFrom} of an earlier run; it was not run again.`];
}

function attemptLines(attempts: readonly TrialRecord[]): string[] {
  if (attempts.length === 0) return [];
  const lines = attempts.map(({ outcome, reason, startedAt, costUsd }) => {
    const cost = costUsd === null ? 'cost unknown' : `$${costUsd.toFixed(4)}`;
    return `  ${outcome}  ${new Date(startedAt).toISOString()}  ${cost}  ${printable(reason)}`;
  });
  return ['', 'Earlier attempts', ...lines];
}

function outcomeLabel(record: TrialRecord, colors: Colors): string {
  const label = record.outcome.toUpperCase();
  if (record.outcome === 'pass') return colors.green(label);
  return record.outcome === 'fail' ? colors.red(label) : colors.yellow(label);
}

function criteriaLines({ criteria }: TrialRecord, colors: Colors): string[] {
  if (!criteria) return [];
  const line = (isGood: boolean, criterion: string, explanation: string): string =>
    `  ${isGood ? colors.green('✓') : colors.red('✗')} ${criterion}\n      ${colors.dim(explanation)}`;
  const pass = criteria.passCriteriaEvaluation.details;
  const fail = criteria.failCriteriaEvaluation.details;
  return [
    ...(pass.length > 0 ? ['', 'Must be true'] : []),
    ...pass.map((detail) => line(detail.result, detail.criterion, detail.explanation)),
    ...(fail.length > 0 ? ['', 'Must be false'] : []),
    ...fail.map((detail) => line(!detail.triggered, detail.criterion, detail.explanation)),
  ];
}

function serverLines(record: TrialRecord, color: boolean): string[] {
  return hasMcpResults(record) ? ['', mcpTitle(record), ...mcpLines(record, color).map((line) => `  ${line}`)] : [];
}

function evaluatorLines({ evaluatorResults }: TrialRecord, colors: Colors): string[] {
  const others = evaluatorResults.filter((result) => result.type !== 'criteria');
  if (others.length === 0) return [];
  const marks = {
    pass: colors.green('✓'),
    fail: colors.red('✗'),
    error: colors.yellow('!'),
    measured: '·',
    'no-data': '·',
    skipped: '-',
    pending: '…',
  };
  return [
    '',
    'Evaluators',
    ...others.map(
      (result) =>
        `  ${marks[result.state]} ${result.name ?? result.type}  ${figureOf(result) ?? (result.kind === 'metric' ? unknownFigure : '')}  ${colors.dim(result.reason)}`,
    ),
  ];
}

function traceLines(trace: Trace, colors: Colors): string[] {
  return [
    '',
    'Trace',
    ...trace.map((event) => `  ${colors.dim(`${event.at.toFixed(1).padStart(8)} ms`)}  ${eventText(event)}`),
  ];
}
