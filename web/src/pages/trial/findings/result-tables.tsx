import { figureOf } from '../../../../../src/domain/figure.ts';
import type { EvaluatorResult } from '../../../../../src/domain/outcome.ts';
import type { TrialRecord } from '../../../../../src/domain/record.ts';
import { figureText } from '../../../../../src/report/presentation/figures.ts';
import { valueText } from '../../../../../src/report/presentation/trial-text.ts';
import { unknownFigure } from '../../../../../src/shared/format.ts';
import { useEvaluatorLabels } from '../../../data/project.ts';
import { Badge } from '../../../kit/badge.tsx';
import { CodeBlock, DiffBlock, WithCode } from '../../../kit/code.tsx';
import { Disclosure } from '../../../kit/disclosure.tsx';
import { Card } from '../../../kit/page.tsx';
import { SmallTable } from '../../../kit/small-table.tsx';
import type { Deciding } from '../what-happened/deciding.ts';
import { isProblem, shownAssertions, unnamedMetrics } from './result-groups.ts';
import { StateBadge } from './state-badge.tsx';

/** The reason of a result, with the figures behind it. */
function ResultReason({ result: { reason, metadata, fault } }: { result: EvaluatorResult }) {
  const { diff, ...figures } = metadata ?? {};
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <span className="whitespace-pre-wrap">{reason}</span>
      {fault && (
        <span className="text-xs text-error">
          {fault.code}: <WithCode text={fault.hint} />
        </span>
      )}
      {typeof diff === 'string' && (
        <Disclosure summary="Differences" isOpen>
          <DiffBlock text={diff} maxHeight={320} />
        </Disclosure>
      )}
      {Object.keys(figures).length > 0 && (
        <div className="text-xs text-muted">
          <Disclosure summary="Figures">
            <CodeBlock text={valueText(figures)} maxHeight={240} label="Figures behind the result" />
          </Disclosure>
        </div>
      )}
    </div>
  );
}

/** Reasons of the criteria and the judge, whose parts are shown at the top of the page. */
function aboveReasons({ criteria, judge }: TrialRecord, above: Deciding): ReadonlySet<string> {
  return new Set([
    ...(above.criteria.length > 0 && criteria ? [criteria.summary.reason] : []),
    ...(above.judged.length > 0 && judge ? [judge.reason] : []),
  ]);
}

/** The assertions, which can make the trial fail. */
export function AssertionsTable({ record, above }: { record: TrialRecord; above: Deciding }) {
  const labelOf = useEvaluatorLabels();
  const reasons = aboveReasons(record, above);
  const results = shownAssertions(record).filter((each) => !above.results.includes(each) && !reasons.has(each.reason));
  if (results.length === 0) return null;
  const isPartial = results.length < shownAssertions(record).length;
  return (
    <Card title={isPartial ? 'Other assertions' : 'Assertions'} isFlush>
      <SmallTable
        label="Assertions"
        columns={[{ header: 'Evaluator' }, { header: 'Result', isNarrow: true }, { header: 'Reason' }]}
        rows={results.map((result, index) => ({
          key: `${index + 1} ${result.type}`,
          isProblem: isProblem(result),
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

/** The metrics, which never make a trial fail. */
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

/** The evaluator of a result, with its name in the scenario and how the result counts. */
export function EvaluatorName({ result, label }: { result: EvaluatorResult; label: string }) {
  return (
    <span title={result.type}>
      {label}
      {result.id !== undefined && result.id !== result.name && (
        <code className="block font-mono text-xs text-muted">{result.id}</code>
      )}
      {result.name !== undefined && <span className="block text-xs text-muted">{result.name}</span>}
      {result.isPart && <span className="block text-xs text-muted">part of the expression</span>}
      {result.turn !== undefined && (
        <span className="block text-xs text-muted">
          {result.kind === 'assertion' ? 'decided at turn' : 'of turn'} {result.turn}
        </span>
      )}
    </span>
  );
}

/** Assertions on the work that was left behind. */
export function GatesTable({ gates: all, above }: { gates: TrialRecord['gates']; above: Deciding }) {
  const labelOf = useEvaluatorLabels();
  const gates = all.filter((gate) => !above.gates.includes(gate));
  if (gates.length === 0) return null;
  const passed = all.filter((gate) => gate.passed).length;
  return (
    <Card
      title={gates.length < all.length ? 'Other gates' : 'Gates'}
      isFlush
      actions={
        <Badge tone={passed === all.length ? 'good' : 'bad'}>
          {passed} of {all.length} passed
        </Badge>
      }
    >
      <SmallTable
        label="Gates"
        columns={[{ header: 'Gate' }, { header: 'Result', isNarrow: true }, { header: 'Message' }]}
        rows={gates.map(({ gate_type, passed: isPassed, message, detail }, index) => ({
          key: `${index + 1} ${gate_type}`,
          isProblem: !isPassed,
          cells: [
            <span key="name" title={gate_type}>
              {labelOf(gate_type)}
            </span>,
            <StateBadge key="state" state={isPassed ? 'pass' : 'fail'} />,
            <div key="message">
              <span className="whitespace-pre-wrap">{message}</span>
              {detail !== undefined && detail !== null && (
                <Disclosure summary={<span className="text-xs text-muted">Detail</span>}>
                  <CodeBlock text={valueText(detail)} maxHeight={240} label="Detail of the gate" />
                </Disclosure>
              )}
            </div>,
          ],
        }))}
      />
    </Card>
  );
}
