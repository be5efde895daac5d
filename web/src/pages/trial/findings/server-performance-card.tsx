import { figureText } from '../../../../../src/report/presentation/figures.ts';
import { formatDuration, unknownFigure } from '../../../../../src/shared/format.ts';
import { Mono } from '../../../kit/code.tsx';
import { Card } from '../../../kit/page.tsx';
import { FactList, figureColumns, SmallTable } from '../../../kit/small-table.tsx';
import type { ServerPerformance } from './result-groups.ts';

const percentiles = ['p50', 'p95', 'p99'];

/** Memory, CPU time and latencies of an MCP server during its tests. */
export function ServerPerformanceCard({ performance }: { performance: ServerPerformance }) {
  const { reason, peakMB, cpuMs, cpuPercent, growthKBPerCall: growth, tools } = performance;
  return (
    <Card isColumn title="Server performance">
      <p>{reason}</p>
      <FactList
        facts={[
          ['Peak memory', unit(peakMB, 'MB')],
          ['CPU time', cpuMs === null ? unknownFigure : formatDuration(cpuMs)],
          ['CPU', unit(cpuPercent, '%')],
          [
            'Memory growth per call',
            growth === null
              ? unknownFigure
              : `${figureText(growth.mean)} kB (${figureText(growth.low)} to ${figureText(growth.high)})`,
          ],
        ]}
      />
      {tools.length > 0 && (
        <div className="-mx-4">
          <SmallTable
            label="Latency of each tool"
            columns={[
              { header: 'Tool', cell: ({ tool }) => <Mono>{tool}</Mono> },
              ...figureColumns(percentiles, ({ latenciesMs }: (typeof tools)[number]) =>
                percentiles.map((name) => formatDuration(latenciesMs[name] ?? null)),
              ),
            ]}
            rows={tools}
          />
        </div>
      )}
    </Card>
  );
}

function unit(figure: number | null, name: string): string {
  return figure === null ? unknownFigure : `${figureText(figure)} ${name}`;
}
