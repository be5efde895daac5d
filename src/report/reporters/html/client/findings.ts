import { figureOf } from '../../../../domain/figure.ts';
import type { EvaluatorResult } from '../../../../domain/outcome.ts';
import type { TrialRecord } from '../../../../domain/record.ts';
import { unknownFigure } from '../../../../shared/format.ts';
import { figureText } from '../../../presentation/figures-text.ts';
import { valueText } from '../../../presentation/plain-output.ts';
import { type Child, element } from './element.ts';
import { badge, hidden, section, type TableRow, table } from './parts.ts';
import { healthSection, interactionSection, workflowSection } from './tool-findings.ts';

/** What the evaluators said of a trial: one section for each kind of answer that there is. */
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

/** Criteria and gates are assertions as well, and have sections of their own. */
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
  const behind = metadata && Object.keys(metadata).length > 0 ? hidden('Figures', valueText(metadata)) : undefined;
  return element('div', {}, reason, fault && element('p', { class: 'error' }, `${fault.code}: ${fault.hint}`), behind);
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
