import { Link } from '@tanstack/react-router';
import type { Comparison } from '../../../../src/report/compare/comparison.ts';
import { grouped } from '../../../../src/shared/format.ts';
import { Badge } from '../../kit/badge.tsx';
import { Mono } from '../../kit/code.tsx';
import { Disclosure } from '../../kit/disclosure.tsx';
import { Card } from '../../kit/page.tsx';
import { figureColumns, TableCard } from '../../kit/small-table.tsx';
import { eventName } from '../trial/use-trial-address.ts';

const headers = ['Calls A', 'Calls B', 'Errors A', 'Errors B', 'Help A', 'Help B'];

/** How often each subcommand of a tool was called, failed, and had its help read. */
export function SubcommandsCard({ subcommands }: Pick<Comparison, 'subcommands'>) {
  if (subcommands.length === 0) return null;
  const cells = (one: Comparison['subcommands'][number]) =>
    [one.callsA, one.callsB, one.errorsA, one.errorsB, one.helpA, one.helpB].map(grouped);
  return (
    <TableCard
      title="Subcommands"
      columns={[
        { header: 'Subcommand', cell: ({ subcommand }) => <Mono>{subcommand}</Mono> },
        ...figureColumns(headers, cells),
      ]}
      rows={subcommands}
    />
  );
}

/** The diagnosis of each side by its figures. */
export function DiagnosisCard({ diagnosis }: Pick<Comparison, 'diagnosis'>) {
  if (diagnosis.every(({ findings }) => findings.length === 0)) return null;
  return (
    <Card title="Diagnosis">
      <div className="grid gap-4 md:grid-cols-2">
        {diagnosis.map(({ side, findings }) => (
          <div key={side} className="min-w-0">
            <h3 className="mb-1 font-semibold">{side === 'a' ? 'A, before' : 'B, new'}</h3>
            {findings.length === 0 && <p className="text-muted">Nothing stands out.</p>}
            <ul className="flex flex-col gap-3">
              {findings.map((finding) => (
                <li key={`${finding.pattern} ${finding.subcommand}`}>
                  <Finding finding={finding} />
                </li>
              ))}
            </ul>
          </div>
        ))}
      </div>
    </Card>
  );
}

function Finding({ finding }: { finding: Comparison['diagnosis'][number]['findings'][number] }) {
  const { title, subcommand, isGood, cause, advice, evidence, commands } = finding;
  return (
    <div className="flex flex-col gap-1">
      <span className="flex flex-wrap items-center gap-2">
        <Badge tone={isGood ? 'good' : 'warn'}>{isGood ? 'good' : 'look at this'}</Badge>
        <span className="font-medium">{subcommand === undefined ? title : `${title}: ${subcommand}`}</span>
      </span>
      <span>{cause}</span>
      <span className="text-muted">{advice}</span>
      <span className="text-xs text-muted">{evidence}</span>
      {commands.length > 0 && (
        <Disclosure summary={<span className="text-xs">Commands behind it</span>}>
          <ul className="flex flex-col gap-0.5">
            {commands.map(({ trialId, command }) => (
              <li key={`${trialId} ${command.eventIndex} ${command.index}`}>
                <Link
                  to="/trials/$trialId"
                  params={{ trialId }}
                  search={{ event: eventName(command.eventIndex) }}
                  className="font-mono text-xs text-accent hover:underline"
                >
                  {command.line}
                </Link>
              </li>
            ))}
          </ul>
        </Disclosure>
      )}
    </div>
  );
}
