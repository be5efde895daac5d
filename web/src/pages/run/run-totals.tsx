import type { ReactNode } from 'react';
import { costSumText, wholeCost } from '../../../../src/domain/cost-sum.ts';
import { tokenSumText, wholeUsage } from '../../../../src/domain/token-sum.ts';
import type { RunDetail } from '../../../../src/entry/server/api/runs.ts';
import { casesText, costText, judgedText, leftOutText, rateText } from '../../../../src/report/presentation/figures.ts';
import { classes } from '../../kit/classes.ts';
import { Count, Duration, Money, OutcomeBar, type OutcomeTotals, Percent } from '../../kit/figures.tsx';
import { Remark } from '../../kit/page.tsx';
import { useRunSearch } from './result-filter.ts';
import { showTrialList } from './trial-list.tsx';

const outcomes = [
  { outcome: 'pass', name: 'passed', look: 'text-pass' },
  { outcome: 'fail', name: 'failed', look: 'text-fail' },
  { outcome: 'error', name: 'could not be judged', look: 'text-error' },
  { outcome: 'skipped', name: 'not run', look: 'text-muted' },
] as const;

/** The run in figures. Those of outcomes are buttons that filter the list of trials. */
export function RunTotals({ run, totals, cost }: { run: RunDetail; totals: OutcomeTotals; cost: RunDetail['cost'] }) {
  return (
    <section aria-label="Totals" className="flex flex-col gap-3 rounded-lg border border-line bg-surface p-4">
      {!run.isLive && <p>{run.reason}</p>}
      {run.attackWarning !== null && <Remark tone="warn">{run.attackWarning}</Remark>}
      {!run.isLive && <OutcomeBar totals={totals} height={10} />}
      <div className="grid grid-cols-2 items-start gap-x-2 gap-y-3 sm:grid-cols-4 xl:grid-cols-[minmax(14rem,2fr)_1fr_1fr_auto_repeat(4,1fr)]">
        {run.isLive ? (
          <Tile name="pass rate">…</Tile>
        ) : (
          <Tile name="pass rate" detail={<RateDetail run={run} />}>
            <Percent value={run.passRate.rate} />
          </Tile>
        )}
        {outcomes.map((outcome) => (
          <OutcomeTile
            key={outcome.outcome}
            {...outcome}
            name={outcome.outcome === 'skipped' && run.isLive ? 'to go' : outcome.name}
            count={totals[outcome.outcome]}
            notJudged={outcome.outcome === 'pass' ? run.notJudged : 0}
          />
        ))}
        <Tile name="took">{run.isLive ? '…' : <Duration ms={run.durationMs} />}</Tile>
        <CostTile
          cost={cost}
          judge={run.judge}
          isUnknownYet={run.isLive && totals.pass + totals.fail + totals.error === 0}
        />
        <TokensTile tokens={run.tokens} judge={run.judge} />
      </div>
    </section>
  );
}

function RateDetail({ run }: { run: RunDetail }) {
  const { rate } = run.passRate;
  const leftOut = leftOutText(run);
  return (
    <>
      <span>{rateText(run.passRate)}</span>
      {rate !== null && <span className="block">{judgedText(run.passRate)}</span>}
      {rate !== null && <span className="block">{casesText(run)}</span>}
      {leftOut !== '' && <span className="block">not counted: {leftOut}</span>}
    </>
  );
}

function Tile({ name, detail, children }: { name: string; detail?: ReactNode; children: ReactNode }) {
  return (
    <div className="px-2 py-1">
      <p className="text-xs text-muted">{name}</p>
      <p className="text-lg font-semibold tabular-nums">{children}</p>
      {detail != null && <p className="text-2xs text-muted tabular-nums">{detail}</p>}
    </div>
  );
}

interface OutcomeTileProps {
  readonly outcome: string;
  readonly name: string;
  readonly look: string;
  readonly count: number;
  readonly notJudged: number;
}

function OutcomeTile({ outcome, name, look, count, notJudged }: OutcomeTileProps) {
  const [search, change] = useRunSearch();
  const isChosen = search.outcome === outcome;
  const choose = async (): Promise<void> => {
    await change({ outcome: isChosen ? undefined : outcome });
    if (!isChosen) showTrialList();
  };
  return (
    <button
      type="button"
      aria-pressed={isChosen}
      disabled={count === 0 && !isChosen}
      title={outcome === 'skipped' ? 'Show only trials that were skipped' : `Show only trials that ${name}`}
      onClick={() => void choose()}
      className={classes(
        'rounded-md px-2 py-1 text-left enabled:hover:bg-raised',
        isChosen && 'bg-raised ring-1 ring-edge',
      )}
    >
      <span className="block text-xs text-muted">{name}</span>
      <span className={classes('block text-lg font-semibold tabular-nums', count > 0 && look)}>
        <Count value={count} />
      </span>
      {notJudged > 0 && <span className="block text-2xs text-error">{notJudged} not judged</span>}
    </button>
  );
}

interface CostTileProps {
  readonly cost: RunDetail['cost'];
  readonly judge: RunDetail['judge'];
  readonly isUnknownYet: boolean;
}

/** The cost of the trials that have ended; running ones report theirs at their end. */
function CostTile({ cost, judge, isUnknownYet }: CostTileProps) {
  const details = [
    cost.unknownTrials > 0 ? costSumText(cost, costText) : '',
    judge ? `judge: ${costSumText(judge.cost, costText)}` : '',
  ].filter((detail) => detail !== '');
  return (
    <Tile name="cost" detail={details.length > 0 ? details.join('; ') : undefined}>
      {isUnknownYet ? '…' : <Money usd={wholeCost(cost)} />}
    </Tile>
  );
}

function TokensTile({ tokens, judge }: Pick<RunDetail, 'tokens' | 'judge'>) {
  const usage = wholeUsage(tokens);
  const details = [
    usage || tokens.unknownTrials > 0 ? tokenSumText(tokens) : '',
    judge ? `judge: ${tokenSumText(judge.tokens)}` : '',
  ].filter((detail) => detail !== '');
  return (
    <Tile name="tokens" detail={details.length > 0 ? details.join('; ') : undefined}>
      <Count value={usage && usage.inputTokens + usage.outputTokens} />
    </Tile>
  );
}
