import type { RunDetail } from '../../../../src/entry/server/api/runs.ts';
import {
  cellText,
  cellTone,
  rateText,
  resilienceNote,
  resilienceTitle,
  unbrokenTexts,
  wordingRows,
} from '../../../../src/report/presentation/resilience-text.ts';
import { classes } from '../../kit/classes.ts';
import { Card } from '../../kit/page.tsx';
import { ScrollBox } from '../../kit/scroll-box.tsx';

type Table = NonNullable<RunDetail['resilience']>[number];

const looks: Readonly<Record<ReturnType<typeof cellTone>, string>> = {
  good: 'bg-pass-ground text-pass',
  mixed: 'bg-fail-ground/60 text-fail',
  bad: 'bg-fail-ground text-fail',
  none: 'text-muted',
};

/** How an agent copes with faults: tools x faults as a heat map whose cells also say what they show. */
export function ResilienceCard({ table }: { table: Table }) {
  return (
    <Card title={resilienceTitle(table)}>
      <div className="flex flex-col gap-3 text-sm">
        <p className="text-muted">{resilienceNote}</p>
        <ScrollBox label={resilienceTitle(table)} maxHeight={420} isBare>
          <HeatMap table={table} />
        </ScrollBox>
        {table.wordings.length > 0 && (
          <ScrollBox label="Error messages" maxHeight={280} isBare>
            <WordingTable table={table} />
          </ScrollBox>
        )}
        {unbrokenTexts(table).map((text) => (
          <p key={text} className="text-muted">
            {text}
          </p>
        ))}
      </div>
    </Card>
  );
}

function HeatMap({ table: { sets, rows } }: { table: Table }) {
  return (
    <table className="w-full">
      <Head names={['Tool', 'Without faults', ...sets]} />
      <tbody>
        {rows.map(({ tool, faultFree, cells }) => (
          <tr key={tool}>
            <th scope="row" className="px-2 py-1 text-left font-normal">
              {tool}
            </th>
            <Rate text={rateText(faultFree)} look={looks[cellTone(faultFree)]} />
            {sets.map((set) => {
              const cell = cells.find((one) => one.set === set);
              return <Rate key={set} text={cellText(cell)} look={looks[cellTone(cell?.rate)]} />;
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Rate({ text, look }: { text: string; look: string }) {
  return <td className={classes('px-2 py-1 tabular-nums', look)}>{text}</td>;
}

function WordingTable({ table }: { table: Table }) {
  const [, ...rows] = wordingRows(table);
  return (
    <table className="w-full">
      <Head names={['Tool', 'Error message', 'Passed']} />
      <tbody>
        {rows.map(([tool = '', message = '', passed = '']) => (
          <tr key={`${tool} ${message}`}>
            <td className="px-2 py-1">{tool}</td>
            <td className="px-2 py-1">{message}</td>
            <td className="px-2 py-1 tabular-nums">{passed}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Head({ names }: { names: readonly string[] }) {
  return (
    <thead>
      <tr>
        {names.map((name) => (
          <th key={name} scope="col" className="px-2 py-1 text-left text-xs font-medium text-muted">
            {name}
          </th>
        ))}
      </tr>
    </thead>
  );
}
