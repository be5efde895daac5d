import type { RunDetail } from '../../../../src/entry/server/api/runs.ts';
import { resilienceNote, resilienceView } from '../../../../src/report/presentation/resilience-text.ts';
import { HeatMapTable } from '../../kit/heat-map.tsx';
import { Card } from '../../kit/page.tsx';
import { ScrollBox } from '../../kit/scroll-box.tsx';

type Table = NonNullable<RunDetail['resilience']>[number];

/** How an agent copes with faults: tools x faults as a heat map whose cells also say what they show. */
export function ResilienceCard({ table }: { table: Table }) {
  const { title, map, wordings, notes } = resilienceView(table);
  return (
    <Card title={title}>
      <div className="flex flex-col gap-3 text-sm">
        <p className="text-muted">{resilienceNote}</p>
        <HeatMapTable map={map} />
        {wordings.length > 0 && (
          <ScrollBox label="Error messages" maxHeight={280} isBare>
            <WordingTable rows={wordings} />
          </ScrollBox>
        )}
        {notes.map((text) => (
          <p key={text} className="text-muted">
            {text}
          </p>
        ))}
      </div>
    </Card>
  );
}

function WordingTable({ rows }: { rows: readonly (readonly string[])[] }) {
  return (
    <table className="w-full">
      <thead>
        <tr>
          {['Tool', 'Error message', 'Passed'].map((name) => (
            <th key={name} scope="col" className="px-2 py-1 text-left text-xs font-medium text-muted">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(([tool = '', message = '', passed = '']) => (
          <tr key={`${tool} ${message}`}>
            <td className="whitespace-nowrap px-2 py-1">{tool}</td>
            <td className="px-2 py-1">{message}</td>
            <td className="px-2 py-1 tabular-nums">{passed}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
