import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { variantText } from '../../../../src/domain/variant-text.ts';
import type { GridArm, GridRow } from '../../../../src/entry/server/api/grid.ts';
import { plainOutput, trialTitle } from '../../../../src/report/presentation/trial-text.ts';
import { caseListQuery } from '../../data/queries.ts';
import { Badge, OutcomeBadge, PassedBadge } from '../../kit/badge.tsx';
import { Button } from '../../kit/button.tsx';
import { Segments } from '../../kit/disclosure.tsx';
import { Card, ErrorView, Skeleton } from '../../kit/page.tsx';
import { ScrollBox } from '../../kit/scroll-box.tsx';
import { TrialIdLink } from '../../kit/trial-link.tsx';
import { MarkedWords, useChangedWords } from './marked-words.tsx';

/** The answers of all variants to each case in one row; at first of the cases that only some of them pass. */
export function AnswersByVariant({ runId }: { runId: string }) {
  const [view, setView] = useState<'differs' | 'all'>('differs');
  const cases = useInfiniteQuery(caseListQuery(runId, view === 'differs' ? { differs: 'true' } : {}));
  const rows = cases.data?.pages.flatMap(({ items }) => items) ?? [];
  const variants = [...new Set(rows.flatMap(({ arms }) => arms.map(({ variant }) => variantText(variant))))];
  return (
    <Card
      title="Answers side by side"
      isFlush
      actions={
        <Segments
          label="Which cases are listed"
          choices={[
            { key: 'differs', label: 'Only different' },
            { key: 'all', label: 'All cases' },
          ]}
          value={view}
          onChange={setView}
        />
      }
    >
      {cases.isError && <ErrorView error={cases.error} onRetry={() => void cases.refetch()} />}
      {cases.isPending && (
        <div className="p-4">
          <Skeleton lines={4} />
        </div>
      )}
      {cases.isSuccess && rows.length === 0 && <p className="p-4 text-muted">Each case ended alike in all variants.</p>}
      {rows.length > 0 && (
        <ScrollBox label="Answers by case and variant" maxHeight={560}>
          <AnswersTable rows={rows} variants={variants} />
        </ScrollBox>
      )}
      {cases.hasNextPage && (
        <div className="border-t border-line p-3">
          <Button isBusy={cases.isFetchingNextPage} onClick={() => void cases.fetchNextPage()}>
            More cases
          </Button>
        </div>
      )}
    </Card>
  );
}

function AnswersTable({ rows, variants }: { rows: readonly GridRow[]; variants: readonly string[] }) {
  return (
    <table className="w-full border-collapse text-sm">
      <thead className="sticky top-0 z-10 bg-surface text-xs text-muted">
        <tr>
          <th scope="col" className="w-1/4 min-w-44 px-4 py-2 text-left font-medium">
            Case
          </th>
          {variants.map((name) => (
            <th key={name} scope="col" className="min-w-56 px-3 py-2 text-left font-medium break-words">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <CaseRow key={`${row.file} ${row.scenario} ${row.caseId}`} row={row} variants={variants} />
        ))}
      </tbody>
    </table>
  );
}

function CaseRow({ row, variants }: { row: GridRow; variants: readonly string[] }) {
  const armOf = (name: string | undefined) => row.arms.find(({ variant }) => variantText(variant) === name);
  const first = armOf(variants[0]);
  return (
    <tr className="border-t border-line align-top">
      <th scope="row" className="px-4 py-2 text-left font-medium break-words">
        {trialTitle({ ...row, variant: {}, repeat: 1 })}
        {row.input !== null && (
          <span className="mt-0.5 line-clamp-3 block text-xs font-normal break-words text-muted">
            {plainOutput(row.input)}
          </span>
        )}
      </th>
      {variants.map((name) => (
        <td key={name} className="px-3 py-2">
          <ArmCell arm={armOf(name)} first={first} />
        </td>
      ))}
    </tr>
  );
}

/** How a variant ended, what it answered and where that differs from the first variant, and the trial. */
function ArmCell({ arm, first: base }: { arm: GridArm | undefined; first: GridArm | undefined }) {
  if (!arm) return <Badge tone="neutral">not run</Badge>;
  const [first, ...others] = arm.trials;
  const passed = arm.trials.filter(({ outcome }) => outcome === 'pass').length;
  return (
    <div className="flex flex-col gap-1">
      <span className="flex flex-wrap items-center gap-2">
        {first && others.length === 0 ? (
          <OutcomeBadge outcome={first.outcome} marks={first.marks} />
        ) : (
          <PassedBadge passed={passed} all={arm.trials.length} />
        )}
        <TrialIdLink trialId={arm.trialId}>Trial</TrialIdLink>
      </span>
      <span className="line-clamp-6 font-mono text-xs break-words whitespace-pre-wrap">
        <ComparedAnswer arm={arm} base={base} />
      </span>
    </div>
  );
}

function ComparedAnswer({ arm, base }: { arm: GridArm; base: GridArm | undefined }) {
  const text = plainOutput(arm.answer ?? arm.reason);
  const isCompared = base !== undefined && base !== arm && base.answer !== null && arm.answer !== null;
  const pieces = useChangedWords(isCompared ? plainOutput(base.answer ?? '') : '', text);
  return <>{pieces && isCompared ? <MarkedWords pieces={pieces.b} look="bg-accent-ground" /> : text}</>;
}
