import { figureOf } from '../../../../../src/domain/figure.ts';
import type { EvaluatorResult } from '../../../../../src/domain/outcome.ts';
import type { TrialRecord } from '../../../../../src/domain/record.ts';
import { figureText } from '../../../../../src/report/presentation/figures-text.ts';
import { unknownFigure } from '../../../../../src/shared/format.ts';
import { useEvaluatorLabels } from '../../../data/evaluator-labels.ts';
import { Card } from '../../../kit/card.tsx';
import { SmallTable } from '../../../kit/small-table.tsx';
import { isGateResult, unnamedMetrics } from './result-groups.ts';
import { ResultReason } from './result-reason.tsx';
import { StateBadge } from './state-badge.tsx';

/** What can make the trial fail: one row for each assertion. */
export function AssertionsTable({ record }: { record: TrialRecord }) {
  const labelOf = useEvaluatorLabels();
  const results = record.evaluatorResults.filter(
    (result) => result.kind === 'assertion' && !isGateResult(result, record.gates),
  );
  if (results.length === 0) return null;
  return (
    <Card title="Assertions" isFlush>
      <SmallTable
        label="Assertions"
        columns={[{ header: 'Evaluator' }, { header: 'Result', isNarrow: true }, { header: 'Reason' }]}
        rows={results.map((result, index) => ({
          key: `${index + 1} ${result.type}`,
          isProblem: result.state === 'fail' || result.state === 'error',
          cells: [
            <EvaluatorName key="name" result={result} label={labelOf(result.type)} />,
            <StateBadge key="state" state={result.state} />,
            <ResultReason key="reason" result={result} />,
          ],
        }))}
      />
    </Card>
  );
}

/** What is tracked and never makes a trial fail. */
export function MetricsTable({ record }: { record: TrialRecord }) {
  const labelOf = useEvaluatorLabels();
  const results = record.evaluatorResults.filter(({ kind }) => kind === 'metric');
  const others = unnamedMetrics(record);
  if (results.length + others.length === 0) return null;
  return (
    <Card title="Metrics" isFlush>
      <SmallTable
        label="Metrics"
        columns={[{ header: 'Metric' }, { header: 'Value', isFigure: true }, { header: 'Reason' }]}
        rows={[
          ...results.map((result, index) => ({
            key: `${index + 1} ${result.type}`,
            isProblem: result.state === 'error',
            cells: [
              <EvaluatorName key="name" result={result} label={labelOf(result.type)} />,
              metricText(figureOf(result)),
              <ResultReason key="reason" result={result} />,
            ],
          })),
          ...others.map(([name, value]) => ({
            key: `metric ${name}`,
            cells: [name, metricText(value ?? undefined), ''],
          })),
        ]}
      />
    </Card>
  );
}

function metricText(figure: number | undefined): string {
  return figure === undefined ? unknownFigure : figureText(figure);
}

function EvaluatorName({ result, label }: { result: EvaluatorResult; label: string }) {
  return (
    <span title={result.type}>
      {label}
      {result.name !== undefined && <span className="block text-xs text-muted">{result.name}</span>}
      {result.turn !== undefined && (
        <span className="block text-xs text-muted">
          {result.kind === 'assertion' ? 'decided at turn' : 'of turn'} {result.turn}
        </span>
      )}
    </span>
  );
}
