import { Link } from '@tanstack/react-router';
import { type MarkCounts, markCountsText } from '../../../../src/domain/marks.ts';
import type { Dashboard } from '../../../../src/entry/server/api/runs.ts';
import { percentText } from '../../../../src/report/presentation/figures.ts';
import { counted } from '../../../../src/shared/format.ts';
import { classes } from '../../kit/classes.ts';
import { HeatLegend, heatLook } from '../../kit/heat-scale.tsx';
import { Card } from '../../kit/page.tsx';
import { ScrollBox } from '../../kit/scroll-box.tsx';
import { dayAndTime, fullTimeText } from '../../kit/when-text.ts';

type Strip = NonNullable<Dashboard['strip']>;
type StripRow = Strip['rows'][number];

/** The scenarios that did not always pass, run by run; a cell leads to its trials. */
export function FailureStrip({ strip }: { strip: Strip | null }) {
  if (!strip || strip.rows.length === 0) return null;
  const { runs, rows, failing, passing } = strip;
  const title = `Failures of the last ${counted(runs.length, 'run')}`;
  const more = failing > rows.length ? `${counted(failing - rows.length, 'more scenario')} failed. ` : '';
  return (
    <Card title={title} actions={<HeatLegend />} isFlush>
      <ScrollBox label="Table of failures" maxHeight={420} isBare>
        <table className="w-full text-sm">
          <caption className="sr-only">{title}, the oldest first</caption>
          <thead className="sr-only">
            <tr>
              <th scope="col">Scenario</th>
              {runs.map(({ runId, startedAt, marks }) => (
                <th key={runId} scope="col">
                  {fullTimeText(startedAt)}
                  {markCountsText(marks)}
                </th>
              ))}
            </tr>
          </thead>
          <tfoot aria-hidden className="text-2xs text-muted">
            <tr>
              <td className="sticky left-0 bg-surface" />
              <td colSpan={runs.length} className="py-1 pr-2">
                <span className="flex justify-between gap-2">
                  {[runs[0], ...(runs.length > 1 ? [runs.at(-1)] : [])].map(
                    (run) => run && <span key={run.runId}>{dayAndTime(run.startedAt)}</span>,
                  )}
                </span>
              </td>
            </tr>
          </tfoot>
          <tbody>
            {rows.map((row) => (
              <StripLine key={`${row.file}\n${row.scenario}`} row={row} runs={runs} />
            ))}
          </tbody>
        </table>
      </ScrollBox>
      {(more !== '' || passing > 0) && (
        <p className="border-t border-line px-4 py-2 text-xs text-muted">
          {more}
          {passing > 0 && `${counted(passing, 'scenario')} passed in all of these runs.`}
        </p>
      )}
    </Card>
  );
}

function StripLine({ row: { scenario, file, cells }, runs }: { row: StripRow; runs: Strip['runs'] }) {
  return (
    <tr className="border-b border-line last:border-b-0">
      <th
        scope="row"
        title={file}
        className="sticky left-0 w-2/5 max-w-[36vw] min-w-28 truncate bg-surface px-4 py-1 text-left font-normal"
      >
        {scenario}
      </th>
      {runs.map(({ runId, startedAt, marks }, index) => (
        <td key={runId} className="h-8 min-w-4 p-px sm:min-w-6">
          <StripCell cell={cells[index] ?? null} runId={runId} scenario={scenario} at={startedAt} marks={marks} />
        </td>
      ))}
    </tr>
  );
}

interface StripCellProps {
  readonly cell: StripRow['cells'][number];
  readonly runId: string;
  readonly scenario: string;
  readonly at: number;
  readonly marks: MarkCounts;
}

function StripCell({ cell, runId, scenario, at, marks }: StripCellProps) {
  if (!cell || cell.pass + cell.fail + cell.error === 0) return <span className="sr-only">not run</span>;
  const judged = cell.pass + cell.fail;
  const rate = judged === 0 ? 'not judged' : `${percentText(cell.pass / judged)} passed`;
  const text = `${rate}${cell.error > 0 ? `, ${counted(cell.error, 'error')}` : ''}`;
  return (
    <Link
      to="/runs/$runId"
      params={{ runId }}
      search={{ scenario }}
      title={`${fullTimeText(at)}${markCountsText(marks)}: ${text}`}
      className={classes(
        'flex h-full w-full items-center justify-center rounded-sm text-xs hover:ring-1 hover:ring-edge',
        judged === 0 ? 'bg-error-ground text-error' : heatLook(cell.pass / judged),
      )}
    >
      <span className="sr-only">{text}</span>
      {cell.error > 0 && <span aria-hidden>!</span>}
    </Link>
  );
}
