import type { RunItem } from '../../../../src/entry/server/api/runs.ts';
import { armAnswerText, armName } from '../../../../src/report/presentation/experiment-text.ts';
import { grouped } from '../../../../src/shared/format.ts';
import { Badge, OutcomeBadge, StatusBadge } from '../../kit/badge.tsx';
import { OutcomeBar, type OutcomeTotals } from '../../kit/figures.tsx';

/** The title of a run: its name, or its scenarios. */
export function runTitle({ name, scenarioNames, scenarioCount }: NamedRun): string {
  if (name !== null && name.trim() !== '') return name;
  const [first] = scenarioNames;
  if (first === undefined) return 'Run without scenarios';
  const others = scenarioCount - 1;
  return others > 0 ? `${first} and ${others} more` : first;
}

type NamedRun = Pick<RunItem, 'name' | 'scenarioNames' | 'scenarioCount'>;

const originWords: Readonly<Record<RunItem['origin'], string>> = {
  run: '',
  import: 'imported from',
  rescore: 'scored again',
  evaluate: 'scored from a trace',
  rule: 'collected traces, judged by a rule',
  edit: 'edited input, not evidence',
};

/** Where the trials come from, where nothing was run. */
export function originText({ origin, importedFrom }: Pick<RunItem, 'origin' | 'importedFrom'>): string {
  return [originWords[origin], importedFrom].filter(Boolean).join(' ');
}

const shortCommit = 8;

/** `1a2b3c4d on main by Ada, with changes`. */
export function sourceText({ commit, branch, author, isDirty }: NonNullable<RunItem['source']>): string {
  const parts = [
    commit.slice(0, shortCommit),
    ...(branch === null ? [] : [` on ${branch}`]),
    ...(author === null ? [] : [` by ${author}`]),
    ...(isDirty === true ? [', with changes'] : []),
  ];
  return parts.join('');
}

/** An experiment in a list: `experiment by connector: after better than before`. */
export function experimentMark({ by, reference, ending, arms }: NonNullable<RunItem['experiment']>): string {
  const answers = arms.map(({ arm, answer }) => `${armName(arm)} ${armAnswerText(answer, reference)}`);
  const open = ending === null ? 'not ended' : 'nothing could be compared';
  return `experiment by ${by}: ${answers.length === 0 ? open : answers.join(', ')}`;
}

type ResultOfRun = Pick<RunItem, 'status' | 'isLive' | 'outcome' | 'totals' | 'marks' | 'experiment'>;

/** How a run ended, or that it goes on. */
export function RunResult({ run }: { run: ResultOfRun }) {
  if (run.isLive) return <StatusBadge status={run.status} isLive />;
  // Failed trials are what an experiment counts, not how it ended.
  if (run.experiment?.ending === 'decided') return <Badge tone="good">decided</Badge>;
  // Collected and imported traces may come without one, which is not an error.
  if (run.status === 'finished' && run.totals.planned > 0 && judgedOrFailed(run.totals) === 0)
    return <Badge tone="neutral">no verdict</Badge>;
  return (
    <span className="inline-flex flex-wrap items-center gap-1">
      <OutcomeBadge outcome={run.outcome} marks={Object.keys(run.marks)} />
      {run.status !== 'finished' && <StatusBadge status={run.status} isLive={false} />}
    </span>
  );
}

function judgedOrFailed({ pass, fail, error }: OutcomeTotals): number {
  return pass + fail + error;
}

/** How many of the judged trials passed, as a bar and in figures, and how many have no verdict. */
export function TrialsBar({ totals }: { totals: OutcomeTotals }) {
  const judged = totals.pass + totals.fail;
  return (
    <span className="flex items-center gap-2">
      <span className="w-16 shrink-0 @2xl:w-20">
        <OutcomeBar totals={totals} />
      </span>
      <span
        className="min-w-0 text-xs text-muted tabular-nums"
        title={`${grouped(totals.pass)} of ${grouped(judged)} judged trials passed, ${grouped(totals.planned)} planned`}
      >
        {judged > 0 && `${grouped(totals.pass)} / ${grouped(judged)}`}
        {judged < totals.planned && `${judged > 0 ? ', ' : ''}${grouped(totals.planned - judged)} without a verdict`}
      </span>
    </span>
  );
}

/** The tags of a run, and the commit that it was started on. */
export function RunMarks({
  run: { tags, source, isArchived },
}: {
  run: Pick<RunItem, 'tags' | 'source' | 'isArchived'>;
}) {
  return (
    <>
      {isArchived && <Badge tone="warn">archived</Badge>}
      {tags.map((tag) => (
        <Badge key={tag} tone="neutral">
          {tag}
        </Badge>
      ))}
      {source && <span>{sourceText(source)}</span>}
    </>
  );
}
