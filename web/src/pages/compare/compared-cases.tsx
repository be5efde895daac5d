import type { ChangedCase, ComparedCase, Comparison } from '../../../../src/report/compare/comparison.ts';
import { caseTitle, changeWords, triesText } from '../../../../src/report/presentation/trial-text.ts';
import { counted, grouped } from '../../../../src/shared/format.ts';
import { Badge, type Tone } from '../../kit/badge.tsx';
import { Button, LinkButton } from '../../kit/button.tsx';
import { classes } from '../../kit/classes.ts';
import { Disclosure } from '../../kit/disclosure.tsx';
import { Card } from '../../kit/page.tsx';
import { useSteps } from '../../kit/small-table.tsx';
import { AnswerPair } from './answer-pair.tsx';
import { TrajectoryPanel } from './trajectory-panel.tsx';

const tones: Readonly<Record<ChangedCase['change'], Tone>> = {
  broke: 'bad',
  'less-often': 'bad',
  unjudged: 'warn',
  fixed: 'good',
  'more-often': 'good',
  'only-in-a': 'neutral',
  'only-in-b': 'neutral',
};
const step = 30;

interface Group {
  readonly title: string;
  readonly changes: readonly ChangedCase['change'][];
}

/** The groups of changed cases, what needs attention first. Only an answer makes a change a regression. */
function groupsOf({ answerOnTheseTasks: answer }: Comparison): readonly Group[] {
  return [
    { title: answer === 'worse' ? 'Regressions' : 'Passed more often in A', changes: ['broke', 'less-often'] },
    { title: 'Not judged, or missing in B', changes: ['unjudged', 'only-in-a'] },
    { title: answer === 'better' ? 'Improvements' : 'Passed more often in B', changes: ['fixed', 'more-often'] },
    { title: 'Only in B', changes: ['only-in-b'] },
  ];
}

interface ShownSteps {
  /** The trials whose answers and steps are shown beside each other. */
  readonly left: string | undefined;
  readonly right: string | undefined;
  readonly onShow: (left: string | undefined, right: string | undefined) => void;
}

/** The cases that ended differently, regressions first, and those that did not; each opens both answers and their steps. */
export function ComparedCases({ comparison, ...given }: ShownSteps & { comparison: Comparison }) {
  const { changedCases, details } = comparison;
  const steps = { ...given, ...(given.left === undefined && firstPair(comparison)) };
  const unchanged = details?.unchangedCases ?? [];
  return (
    <Card title={`Cases that ended differently (${grouped(changedCases.length)})`} isFlush>
      {changedCases.length === 0 && <p className="p-4 text-muted">Every case ended the same way on both sides.</p>}
      {groupsOf(comparison).map(({ title, changes }) => {
        const cases = changedCases.filter(({ change }) => changes.includes(change));
        if (cases.length === 0) return null;
        return (
          <section key={title} aria-label={title}>
            <h3 className="border-b border-line bg-raised/50 px-4 py-1.5 text-xs font-semibold">
              {title} ({grouped(cases.length)})
            </h3>
            <CaseList cases={cases} {...steps} />
          </section>
        );
      })}
      {unchanged.length > 0 && (
        <div className="border-t border-line px-4 py-2">
          <Disclosure
            isOpen={changedCases.length === 0 || isAmong(unchanged, steps)}
            summary={`${counted(details?.unchangedCount ?? 0, 'case')} ended the same way; the steps may differ all the same`}
          >
            <div className="-mr-4 -ml-9">
              <CaseList cases={unchanged} {...steps} />
            </div>
            {unchanged.length < (details?.unchangedCount ?? 0) && (
              <p className="pt-2 text-xs text-muted">
                The first {grouped(unchanged.length)} are listed. Every other trial can be compared from its run.
              </p>
            )}
          </Disclosure>
        </div>
      )}
    </Card>
  );
}

/** Nothing was to be shown, which is not the same as nothing was chosen. */
const nothing = 'none';

/** The first case that ended differently, which is open until another one is. */
function firstPair(comparison: Comparison): Pick<ShownSteps, 'left' | 'right'> {
  const listed = groupsOf(comparison).flatMap(({ changes }) =>
    comparison.changedCases.filter(({ change }) => changes.includes(change)),
  );
  const first = listed.find(({ trialA, trialB }) => trialA !== undefined && trialB !== undefined);
  return { left: first?.trialA, right: first?.trialB };
}

type ListedCase = ComparedCase & Partial<Pick<ChangedCase, 'change' | 'broken'>>;

function isAmong(cases: readonly ListedCase[], { left, right }: ShownSteps): boolean {
  return cases.some(({ trialA, trialB }) => trialA === left && trialB === right);
}

function CaseList({ cases, left, right, onShow }: ShownSteps & { cases: readonly ListedCase[] }) {
  const chosen = cases.findIndex(({ trialA, trialB }) => trialA === left && trialB === right);
  const [visible, more] = useSteps(cases, step, 'cases', chosen + 1);
  return (
    <>
      <ul className="divide-y divide-line">
        {visible.map((item, index) => (
          <li key={`${item.scenario} ${item.caseId} ${JSON.stringify(item.variant)}`}>
            <CaseLine item={item} isChosen={index === chosen} onShow={onShow} />
            {index === chosen && left !== undefined && right !== undefined && (
              <div className="flex flex-col gap-3 border-t border-line bg-ground/60 px-4 py-3">
                <AnswerPair left={left} right={right} />
                <Disclosure summary="Steps of both trials">
                  <TrajectoryPanel left={left} right={right} />
                </Disclosure>
              </div>
            )}
          </li>
        ))}
      </ul>
      {more && <div className="border-t border-line p-3">{more}</div>}
    </>
  );
}

function CaseLine({ item, isChosen, onShow }: { item: ListedCase; isChosen: boolean; onShow: ShownSteps['onShow'] }) {
  const { change, reason, broken = [], trialA, trialB } = item;
  const canDiffer = trialA !== undefined && trialB !== undefined;
  return (
    <div
      className={classes('flex flex-wrap items-start gap-x-3 gap-y-1 px-4 py-2.5', isChosen && 'bg-accent-ground/50')}
    >
      {change && (
        <span className="w-24 shrink-0">
          <Badge tone={tones[change]}>{changeWords[change]}</Badge>
        </span>
      )}
      <div className="min-w-48 flex-1">
        <span className="font-medium">{caseTitle(item)}</span>
        {reason !== '' && <span className="block text-muted">{reason}</span>}
        {broken.length > 0 && <span className="block text-xs text-muted">no longer holds: {broken.join(', ')}</span>}
      </div>
      <span className="whitespace-nowrap tabular-nums">{triesText(item)}</span>
      <span className="flex flex-wrap gap-1">
        {canDiffer && (
          <Button
            size="sm"
            aria-expanded={isChosen}
            onClick={() => (isChosen ? onShow(nothing, nothing) : onShow(trialA, trialB))}
          >
            {isChosen ? 'Hide answers' : 'Compare answers'}
          </Button>
        )}
        {trialA !== undefined && !isChosen && <TrialButton trialId={trialA} label="Trial of A" />}
        {trialB !== undefined && !isChosen && <TrialButton trialId={trialB} label="Trial of B" />}
      </span>
    </div>
  );
}

/** Leads to one of the two trials. */
export function TrialButton({ trialId, label }: { trialId: string; label: string }) {
  return (
    <LinkButton size="sm" variant="ghost" to="/trials/$trialId" params={{ trialId }}>
      {label}
    </LinkButton>
  );
}
