import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Ban, Check, ChevronLeft, ChevronRight, GitCompareArrows, TriangleAlert, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { markSentences } from '../../../../src/domain/marks.ts';
import type { Fault } from '../../../../src/domain/outcome.ts';
import type { TrialRecord } from '../../../../src/domain/record.ts';
import { tokensText, totalTokensOf } from '../../../../src/domain/usage.ts';
import { variantText } from '../../../../src/domain/variant-text.ts';
import type { TrialItem } from '../../../../src/entry/server/api/runs.ts';
import type { TrialDetail } from '../../../../src/entry/server/api/trials.ts';
import { figureText } from '../../../../src/report/presentation/figures.ts';
import { costText, grouped } from '../../../../src/shared/format.ts';
import { sameCaseQuery } from '../../data/trials.ts';
import { Button, buttonLook } from '../../kit/button.tsx';
import { classes } from '../../kit/classes.ts';
import { CopyButton, WithCode } from '../../kit/code.tsx';
import { Duration, Money, When } from '../../kit/figures.tsx';
import { Remark } from '../../kit/page.tsx';
import { QuickLink } from '../../kit/quick-link.tsx';
import { FactList } from '../../kit/small-table.tsx';
import type { RowLink } from '../../kit/table-column.ts';
import { useLoadedAhead } from '../../kit/use-loaded-ahead.ts';
import { type TrialChoice, useTrialChoice } from '../run/trial-choice.tsx';

/** The facts of a trial besides its verdict. */
export function TrialFacts({ trial: { record, attempts, isFileThere } }: { trial: TrialDetail }) {
  const { usage, judgeUsage, costs } = record;
  const variant = variantText(record.variant);
  return (
    <FactList
      facts={[
        ['Duration', <Duration key="ms" ms={record.durationMs} />],
        ['Cost', <Money key="usd" usd={record.costUsd} />],
        usage && totalTokensOf(usage) !== 0 ? ['Tokens', tokensText(usage)] : null,
        judgeUsage && totalTokensOf(judgeUsage) !== 0
          ? ['Of these the judge', `${costText(costs?.judgeUsd ?? null)}, ${tokensText(judgeUsage)}`]
          : null,
        variant === '' ? null : ['Variant', variant],
        ['Case', record.caseId],
        ['Repeat', String(record.repeat)],
        record.compositeScore === null ? null : ['Composite score', figureText(record.compositeScore)],
        record.workflowScore === null ? null : ['Workflow score', figureText(record.workflowScore)],
        ['Started', <When key="at" at={record.startedAt} />],
        ['File', <ScenarioFile key="file" record={record} isThere={isFileThere} />],
        record.cachedFrom === null
          ? null
          : ['Taken over from', <EarlierTrial key="from" trialId={record.cachedFrom} label="an earlier trial" />],
        ...markSentences(record).map((sentence): [string, ReactNode] => ['Stood in', sentence]),
        record.continuation ? ['Interrupted', continuedText(record.continuation)] : null,
        ...attempts.map((attempt, index): [string, ReactNode] => [
          `Attempt ${index + 1}`,
          <span key={attempt.startedAt}>
            {attempt.outcome}: {attempt.reason} (<When at={attempt.startedAt} />, <Money usd={attempt.costUsd} />)
          </span>,
        ]),
        [
          'Trial',
          <span key="id" className="flex items-center gap-1 font-mono text-xs">
            {record.trialId}
            <CopyButton text={record.trialId} label="Copy the id of the trial" />
          </span>,
        ],
      ]}
    />
  );
}

function continuedText({ calls, restarted }: NonNullable<TrialDetail['record']['continuation']>): string {
  return restarted ? `Started from the beginning: ${restarted}` : `Went on from a tape of ${calls} model calls`;
}

/** A trial of another run; a report does not have it. */
function EarlierTrial({ trialId, label }: { trialId: string; label: string }) {
  if (isReport) return <>{trialId}</>;
  return (
    <Link to="/trials/$trialId" params={{ trialId }} className="text-accent hover:underline">
      {label}
    </Link>
  );
}

const loadEditor = () => import('../scenario-editor/scenario-editor-page.tsx');

/** The scenario file; one that is in the project opens in the editor. */
export function ScenarioFile({ record: { file, scenario }, isThere }: { record: TrialRecord; isThere: boolean }) {
  if (!isReport && isThere) return <EditorLink file={file} scenario={scenario} />;
  return (
    <code title={isReport ? undefined : 'This file is not in the project'} className="font-mono text-xs">
      {file}
    </code>
  );
}

function EditorLink({ file, scenario }: Pick<TrialRecord, 'file' | 'scenario'>) {
  useLoadedAhead(loadEditor);
  return (
    <Link
      to="/scenarios/edit"
      search={{ file, scenario }}
      title="Open in the editor"
      className="rounded font-mono text-xs text-accent hover:underline"
    >
      {file}
    </Link>
  );
}

const culprits: Readonly<Record<Fault['blame'], string>> = {
  user: 'Something in the files or the set-up',
  target: 'The tool or agent under test',
  agent: 'The agent that drove the tool',
  model: 'The provider of the model',
  judge: 'The judge',
  store: 'The store',
  engine: 'Assay itself',
};

/** Why something could not be judged: whose fault it is, and what to do. What the reason says already is not repeated. */
export function FaultNote({ fault, reason }: { fault: Fault; reason: string }) {
  return (
    <section
      aria-label="Why it could not be judged"
      className="flex gap-3 rounded-lg border border-error/40 bg-error-ground p-4"
    >
      <TriangleAlert size={18} aria-hidden className="mt-0.5 shrink-0 text-error" />
      <div className="flex min-w-0 flex-col gap-1">
        <p className="font-medium">
          {culprits[fault.blame]} is the reason that it could not be judged{' '}
          <span className="font-mono text-xs">{fault.code}</span>
        </p>
        {!reason.includes(fault.message) && <p className="whitespace-pre-wrap">{fault.message}</p>}
        <p>
          <span className="font-medium">What to do: </span>
          <WithCode text={fault.hint} />
        </p>
      </div>
    </section>
  );
}

const signs = { pass: Check, fail: X, error: TriangleAlert, skipped: Ban } as const;
const colours = { pass: 'text-pass', fail: 'text-fail', error: 'text-error', skipped: 'text-muted' } as const;

const mostSiblings = 40;

/** Other trials of the same case in the same run: other variants and repeats. */
export function SameCase({ record }: { record: TrialRecord }) {
  const { data } = useQuery(sameCaseQuery(record));
  const { caseId, file, trialId } = record;
  const trials = (data?.items ?? []).filter((item) => item.caseId === caseId && item.file === file);
  return trials.length > 1 ? <SiblingRow trials={trials.slice(0, mostSiblings)} here={trialId} /> : null;
}

function SiblingRow({ trials, here }: { trials: readonly TrialItem[]; here: string }) {
  return (
    <nav aria-label="Trials of the same case" className="flex min-w-0 items-baseline gap-1.5">
      <span className="mr-1 shrink-0 text-xs text-muted">Same case ({grouped(trials.length)})</span>
      <div className="relative flex max-h-20 min-w-0 flex-wrap items-center gap-1.5 overflow-y-auto py-1">
        {trials.map((trial) => (
          <Sibling key={trial.trialId} trial={trial} here={here} />
        ))}
      </div>
    </nav>
  );
}

function Sibling({ trial, here }: { trial: TrialItem; here: string }) {
  const { linkTo } = useTrialChoice();
  const Sign = signs[trial.outcome];
  const isHere = trial.trialId === here;
  const name = [variantText(trial.variant), `#${trial.repeat}`].filter((part) => part !== '').join(' ');
  return (
    <span
      className={classes(
        'inline-flex max-w-full items-center rounded-md border text-xs hover:border-edge',
        isHere ? 'border-accent bg-accent-ground' : 'border-line',
      )}
    >
      <QuickLink
        link={linkTo(trial.trialId)}
        aria-current={isHere ? 'page' : undefined}
        title={trial.reason}
        className="inline-flex items-center gap-1 rounded px-1.5 py-0.5"
      >
        <Sign size={12} aria-hidden className={colours[trial.outcome]} />
        <span className="sr-only">{trial.outcome}: </span>
        {name}
      </QuickLink>
      {!isHere && (
        <Link
          to="/compare"
          search={{ left: trial.trialId, right: here }}
          title="Compare its steps with those of this trial"
          className="rounded border-l border-line px-1 py-1 text-muted hover:text-ink"
        >
          <GitCompareArrows size={12} aria-hidden />
          <span className="sr-only">Compare the steps of {name} with those of this trial</span>
        </Link>
      )}
    </span>
  );
}

/** The trials before and after one in a list; by `[` and `]` too. */
export function Neighbours({
  previous,
  next,
  linkTo,
}: Record<'previous' | 'next', string | null> & Pick<TrialChoice, 'linkTo'>) {
  return (
    <nav aria-label="Neighbouring trials" className="flex shrink-0 gap-2">
      <Neighbour
        link={previous && linkTo(previous)}
        icon={<ChevronLeft size={14} aria-hidden />}
        label="Previous"
        keyName="["
      />
      <Neighbour link={next && linkTo(next)} icon={<ChevronRight size={14} aria-hidden />} label="Next" keyName="]" />
    </nav>
  );
}

interface NeighbourProps {
  readonly link: RowLink | '' | null;
  readonly icon: ReactNode;
  readonly label: string;
  readonly keyName: string;
}

function Neighbour({ link, icon, label, keyName }: NeighbourProps) {
  if (!link)
    return (
      <Button size="sm" disabled icon={icon}>
        {label}
      </Button>
    );
  return (
    <QuickLink link={link} className={buttonLook('secondary', 'sm')} title={`${label} trial (${keyName})`}>
      {icon}
      {label}
    </QuickLink>
  );
}

/** Says that the input of a trial was edited, and where it came from. */
export function EditedNote({ editOf }: { editOf: string | null }) {
  if (editOf === null) return null;
  return (
    <Remark tone="info">
      The input of this trial was edited from <EarlierTrial trialId={editOf} label={editOf} />. It is not evidence, and
      is never compared.
    </Remark>
  );
}
