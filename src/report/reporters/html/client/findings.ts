import { figureOf } from '../../../../domain/figure.ts';
import type { EvaluatorResult } from '../../../../domain/outcome.ts';
import type { TrialRecord } from '../../../../domain/record.ts';
import { formatDuration, unknownFigure } from '../../../../shared/format.ts';
import { figureText, percentText } from '../../../presentation/figures.ts';
import { valueText } from '../../../presentation/trial-text.ts';
import { badge, type Child, element, hidden, section, type TableRow, table } from './elements.ts';

/** The tests of a suite against an MCP server. */
function healthSection({ toolHealth }: TrialRecord): HTMLElement | undefined {
  if (toolHealth.length === 0) return undefined;
  const rows = toolHealth.map(({ state, testName, toolName, latency, retryCount, details, error }) => ({
    isProblem: state !== 'pass',
    cells: [
      badge(state),
      testName,
      toolName,
      `${formatDuration(latency)}${retryCount > 0 ? `, ${retryCount} again` : ''}`,
      element('div', {}, details, error !== undefined && error !== details && hidden('Error', error)),
    ],
  }));
  return section('Tool health', table('Tool health', ['', 'Test', 'Tool', '#Time', 'Details'], rows));
}

/** The figures that a workflow is scored by. */
function workflowSection({ workflow, workflowScore }: TrialRecord): HTMLElement | undefined {
  if (workflow.length === 0) return undefined;
  const rows = workflow.map(({ metric, passed, score, details, state }) => ({
    isProblem: !passed,
    cells: [badge(state ?? (passed ? 'pass' : 'fail')), metric, score.toFixed(2), details],
  }));
  return section(
    'Workflow',
    workflowScore !== null && element('p', {}, `Score ${workflowScore.toFixed(2)}`),
    table('Workflow', ['', 'Metric', '#Score', 'Details'], rows),
  );
}

const interactionFigures = [
  'total_commands',
  'unique_commands',
  'error_count',
  'retry_count',
  'help_invocations',
] as const;

/** How well the agent used the tool, all in all and by subcommand. */
function interactionSection({ interaction }: TrialRecord): HTMLElement | undefined {
  if (!interaction) return undefined;
  const rows = [['all', interaction] as const, ...Object.entries(interaction.subcommands)].map(([name, figures]) => ({
    cells: [
      name,
      ...interactionFigures.map((key) => figureText(figures[key])),
      percentText(figures.error_rate),
      percentText(figures.first_try_success_rate),
    ],
  }));
  const headers = ['Command', '#Calls', '#Different', '#Errors', '#Again', '#Help', '#Error rate', '#First try'];
  const remarks = [
    ...interaction.disagreements.map(({ message }) => message),
    ...interaction.unrecorded.map((line) => `Bypassed the recorder: ${line}`),
  ];
  return section(
    'How the tool was used',
    element(
      'p',
      { class: 'muted' },
      `Source: ${interaction.source}${interaction.completed === false ? '; the agent did not complete' : ''}`,
    ),
    table('How the tool was used', headers, rows),
    ...remarks.map((text) => element('p', { class: 'muted' }, text)),
  );
}

/** Results of the evaluators of a trial: one section for each kind of result that there is. */
export function findingSections(record: TrialRecord): (HTMLElement | undefined)[] {
  return [
    criteriaSection(record),
    assertionSection(record),
    gateSection(record),
    healthSection(record),
    workflowSection(record),
    turnSection(record),
    metricSection(record),
    interactionSection(record),
    scriptSection(record),
  ];
}

function criteriaSection({ criteria }: TrialRecord): HTMLElement | undefined {
  if (!criteria) return undefined;
  const row = (isGood: boolean, must: string, criterion: string, explanation: string): TableRow => ({
    isProblem: !isGood,
    cells: [badge(isGood ? 'pass' : 'fail'), must, element('code', {}, criterion), explanation],
  });
  const rows = [
    ...criteria.passCriteriaEvaluation.details.map((detail) =>
      row(detail.result, 'true', detail.criterion, detail.explanation),
    ),
    ...criteria.failCriteriaEvaluation.details.map((detail) =>
      row(!detail.triggered, 'false', detail.criterion, detail.explanation),
    ),
  ];
  return rows.length === 0
    ? undefined
    : section('Criteria', table('Criteria', ['', 'Must be', 'Criterion', 'Explanation'], rows));
}

/** Criteria and gates are assertions as well, and have their own sections. */
function assertionSection({ evaluatorResults, gates }: TrialRecord): HTMLElement | undefined {
  const isGate = ({ type, reason }: EvaluatorResult): boolean =>
    gates.some(({ gate_type, message }) => gate_type === type && message === reason);
  const results = evaluatorResults.filter(
    (result) => result.kind === 'assertion' && result.type !== 'criteria' && !isGate(result),
  );
  if (results.length === 0) return undefined;
  return section('Assertions', table('Assertions', ['', 'Assertion', 'Reason'], results.map(resultRow)));
}

function resultRow(result: EvaluatorResult): TableRow {
  const { state, type, turn } = result;
  const name = turn === undefined ? type : `${type} (turn ${turn})`;
  return { isProblem: state === 'fail' || state === 'error', cells: [badge(state), name, reasonCell(result)] };
}

function reasonCell({ reason, metadata, fault }: EvaluatorResult): Child {
  const { diff, ...figures } = metadata ?? {};
  const behind = Object.keys(figures).length > 0 ? hidden('Figures', valueText(figures)) : undefined;
  const difference = typeof diff === 'string' ? hidden('Diff', diff) : undefined;
  return element(
    'div',
    {},
    reason,
    fault && element('p', { class: 'error' }, `${fault.code}: ${fault.hint}`),
    behind,
    difference,
  );
}

function metricSection({ evaluatorResults, metrics }: TrialRecord): HTMLElement | undefined {
  const results = evaluatorResults.filter(({ kind }) => kind === 'metric');
  const named = new Set(results.map(({ name, type }) => name ?? type));
  const rows: TableRow[] = [
    ...results.map((result) => ({
      isProblem: result.state === 'error',
      cells: [result.name ?? result.type, metricText(figureOf(result)), reasonCell(result)],
    })),
    ...Object.entries(metrics)
      .filter(([name]) => !named.has(name))
      .map(([name, value]) => ({ cells: [name, metricText(value ?? undefined), ''] })),
  ];
  return rows.length === 0 ? undefined : section('Metrics', table('Metrics', ['Metric', '#Value', 'Reason'], rows));
}

function metricText(figure: number | undefined): string {
  return figure === undefined ? unknownFigure : figureText(figure);
}

function gateSection({ gates }: TrialRecord): HTMLElement | undefined {
  if (gates.length === 0) return undefined;
  const rows = gates.map(({ gate_type, passed, message, detail }) => ({
    isProblem: !passed,
    cells: [
      badge(passed ? 'pass' : 'fail'),
      gate_type,
      element('div', {}, message, detail !== undefined && detail !== null && hidden('Detail', valueText(detail))),
    ],
  }));
  return section('Gates', table('Gates', ['', 'Gate', 'Message'], rows));
}

function turnSection({ turns }: TrialRecord): HTMLElement | undefined {
  const rows = turns.flatMap(({ turn, results }) =>
    results.map((result) => ({
      isProblem: result.state === 'fail' || result.state === 'error',
      cells: [
        String(turn),
        badge(result.state),
        result.name ?? result.type,
        result.kind === 'metric'
          ? metricText(figureOf(result))
          : result.value === undefined
            ? ''
            : figureText(result.value),
        result.reason,
      ],
    })),
  );
  if (rows.length === 0) return undefined;
  return section('Answer by answer', table('Answer by answer', ['#Turn', '', 'Evaluator', '#Value', 'Reason'], rows));
}

function scriptSection({ scripts }: TrialRecord): HTMLElement | undefined {
  if (scripts.length === 0) return undefined;
  const rows = scripts.map(({ name, score, summary, error, metrics }) => ({
    isProblem: error !== undefined,
    cells: [
      name,
      score === undefined ? '' : figureText(score),
      element('div', {}, error ?? summary ?? '', metrics && hidden('Metrics', valueText(metrics))),
    ],
  }));
  return section('Scripts', table('Scripts', ['Script', '#Score', 'Summary'], rows));
}
