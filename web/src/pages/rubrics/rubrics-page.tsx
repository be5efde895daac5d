import { Link } from '@tanstack/react-router';
import { Plus, Ruler } from 'lucide-react';
import type { RubricList } from '../../../../src/entry/server/api/project.ts';
import { counted } from '../../../../src/shared/format.ts';
import { useRefusal } from '../../data/access.ts';
import { rubricListQuery } from '../../data/project.ts';
import { Badge } from '../../kit/badge.tsx';
import { LinkButton } from '../../kit/button.tsx';
import { Count } from '../../kit/figures.tsx';
import { Card, EmptyState, Page } from '../../kit/page.tsx';
import { type SmallColumn, SmallTable } from '../../kit/small-table.tsx';
import { useRead } from '../../kit/use-read.tsx';

/** Every rubric of the project. */
export function RubricsPage() {
  const [data, instead] = useRead(rubricListQuery(), 6);
  const add = useRefusal('edit') === undefined && (
    <LinkButton variant="primary" icon={<Plus size={14} aria-hidden />} to="/rubrics/edit" search={{ new: '1' }}>
      New rubric
    </LinkButton>
  );
  return (
    <Page title="Rubrics" subtitle="Weighted criteria that a judge scores" actions={add}>
      {!data ? (
        instead
      ) : (
        <Card isFlush>
          {data.items.length === 0 ? (
            <EmptyState icon={<Ruler size={20} />} title="No rubrics yet" action={add}>
              A rubric is a file with criteria whose weights add up to 1. A scenario names it in its judge section:{' '}
              <code className="font-mono">rubric: rubrics/planning.yaml</code>
            </EmptyState>
          ) : (
            <SmallTable label="Rubrics" columns={columns} rows={data.items} />
          )}
        </Card>
      )}
    </Page>
  );
}

const columns: readonly SmallColumn<RubricList['items'][number]>[] = [
  {
    header: 'Rubric',
    cell: ({ file, title }) => (
      <Link to="/rubrics/edit" search={{ file }} data-row-link className="block rounded hover:underline">
        <span className="font-medium">{title}</span>
        <span className="block font-mono text-xs text-muted">{file}</span>
      </Link>
    ),
  },
  { header: 'Criteria', isFigure: true, cell: ({ criteria }) => <Count value={criteria} /> },
  { header: 'Passes from', isFigure: true, cell: ({ passThreshold }) => passThreshold ?? '–' },
  {
    header: 'State',
    isNarrow: true,
    cell: ({ problems: { length } }) =>
      length === 0 ? <Badge tone="good">fine</Badge> : <Badge tone="bad">{counted(length, 'problem')}</Badge>,
  },
];
