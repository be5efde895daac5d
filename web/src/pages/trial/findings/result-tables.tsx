import { figureOf } from '../../../../../src/domain/figure.ts';
import type { EvaluatorResult } from '../../../../../src/domain/outcome.ts';
import type { TrialRecord } from '../../../../../src/domain/record.ts';
import { figureText } from '../../../../../src/report/presentation/figures.ts';
import { valueText } from '../../../../../src/report/presentation/trial-text.ts';
import { unknownFigure } from '../../../../../src/shared/format.ts';
import { useEvaluatorLabels } from '../../../data/project.ts';
import { PassedBadge } from '../../../kit/badge.tsx';
import { CodeBlock, DiffBlock, FoldedCode, WithCode } from '../../../kit/code.tsx';
import { Disclosure } from '../../../kit/disclosure.tsx';
import { Card } from '../../../kit/page.tsx';
import { type SmallColumn, SmallTable } from '../../../kit/small-table.tsx';
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
  const reasons = aboveReasons(record, above);
  const results = shownAssertions(record).filter((each) => !above.results.includes(each) && !reasons.has(each.reason));
  if (results.length === 0) return null;
  const isPartial = results.length < shownAssertions(record).length;
  return (
    <Card title={isPartial ? 'Other assertions' : 'Assertions'} isFlush>
      <SmallTable
        label="Assertions"
        columns={[...evaluatorColumns, { header: 'Reason', cell: (result) => <ResultReason result={result} /> }]}
        rows={results}
        isProblem={isProblem}
      />
    </Card>
  );
}

/** The metrics, which never make a trial fail. */
export function MetricsTable({ record }: { record: TrialRecord }) {
  const results = record.evaluatorResults.filter(({ kind }) => kind === 'metric');
  const rows: readonly MetricRow[] = [
    ...results.map((result) => ({ result, value: figureOf(result) })),
    ...unnamedMetrics(record).map(([name, value]) => ({ name, value: value ?? undefined })),
  ];
  if (rows.length === 0) return null;
  return (
    <Card title="Metrics" isFlush>
      <SmallTable
        label="Metrics"
        columns={metricColumns}
        rows={rows}
        isProblem={({ result }) => result?.state === 'error'}
      />
    </Card>
  );
}

/** A metric of an evaluator, or a figure that no evaluator names. */
interface MetricRow {
  readonly result?: EvaluatorResult;
  readonly name?: string;
  readonly value: number | undefined;
}

const metricColumns: readonly SmallColumn<MetricRow>[] = [
  { header: 'Metric', cell: ({ result, name }) => (result ? <EvaluatorName result={result} /> : name) },
  {
    header: 'Value',
    isFigure: true,
    cell: ({ value }) => (value === undefined ? unknownFigure : figureText(value)),
  },
  { header: 'Reason', cell: ({ result }) => result && <ResultReason result={result} /> },
];

/** The evaluator of a result and how it ended. */
export const evaluatorColumns: readonly SmallColumn<EvaluatorResult>[] = [
  { header: 'Evaluator', cell: (result) => <EvaluatorName result={result} /> },
  { header: 'Result', isNarrow: true, cell: ({ state }) => <StateBadge state={state} /> },
];

/** The evaluator of a result, with its name in the scenario and how the result counts. */
function EvaluatorName({ result }: { result: EvaluatorResult }) {
  const labelOf = useEvaluatorLabels();
  return (
    <span title={result.type}>
      {labelOf(result.type)}
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
      actions={<PassedBadge passed={passed} all={all.length} />}
    >
      <SmallTable
        label="Gates"
        columns={[
          { header: 'Gate', cell: ({ gate_type }) => <span title={gate_type}>{labelOf(gate_type)}</span> },
          { header: 'Result', isNarrow: true, cell: ({ passed }) => <StateBadge state={passed ? 'pass' : 'fail'} /> },
          {
            header: 'Message',
            cell: ({ message, detail }) => (
              <>
                <span className="whitespace-pre-wrap">{message}</span>
                {detail !== undefined && detail !== null && (
                  <FoldedCode label="Detail" text={valueText(detail)} maxHeight={240} />
                )}
              </>
            ),
          },
        ]}
        rows={gates}
        isProblem={({ passed }) => !passed}
      />
    </Card>
  );
}
