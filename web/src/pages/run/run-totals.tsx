import type { ReactNode } from 'react';
import { costSumText, wholeCost } from '../../../../src/domain/cost-sum.ts';
import { tokenSumText, wholeUsage } from '../../../../src/domain/token-sum.ts';
import type { ShownRun } from '../../../../src/entry/server/api/runs.ts';
import {
  casesText,
  judgedText,
  leftOutText,
  ratedText,
  rateText,
} from '../../../../src/report/presentation/figures.ts';
import { classes } from '../../kit/classes.ts';
import { Disclosure } from '../../kit/disclosure.tsx';
import { Count, Duration, Money, OutcomeBar, type OutcomeTotals, Percent } from '../../kit/figures.tsx';
import { Remark } from '../../kit/page.tsx';
import { useRunSearch } from './result-filter.ts';
import { showTrialList } from './trial-list.tsx';

const outcomes = [
  { outcome: 'pass', name: 'passed', look: 'text-pass' },
  { outcome: 'fail', name: 'failed', look: 'text-fail' },
  { outcome: 'error', name: 'not judged', look: 'text-error' },
  { outcome: 'skipped', name: 'skipped', look: 'text-muted' },
] as const;

const wordOf = { pass: 'passed', fail: 'failed', error: 'not judged', skipped: 'skipped' } as const;

/** The run in figures. Those of outcomes are buttons that filter the list of trials. */
export function RunTotals({ run, totals, cost }: { run: ShownRun; totals: OutcomeTotals; cost: ShownRun['cost'] }) {
  return (
    <section aria-label="Totals" className="flex flex-col gap-2 rounded-lg border border-line bg-surface px-4 py-3">
      {run.attackWarning && <Remark tone="warn">{run.attackWarning}</Remark>}
      {!run.isLive && <OutcomeBar totals={totals} height={8} />}
      <div className="flex flex-wrap items-start gap-x-2 gap-y-1 *:grow *:basis-24">
        <Tile name="pass rate">{run.passRate ? <Percent value={run.passRate.rate} /> : '…'}</Tile>
        {outcomes
          .filter(({ outcome }) => outcome !== 'skipped' || totals.skipped > 0)
          .map((outcome) => (
            <OutcomeTile
              key={outcome.outcome}
              {...outcome}
              count={totals[outcome.outcome]}
              notJudged={outcome.outcome === 'pass' ? run.notJudged : 0}
            />
          ))}
        <Tile name={run.isLive ? 'to go' : 'not run'}>
          <Count value={totals.notRun} />
        </Tile>
        <Tile name="took">{run.isLive ? '…' : <Duration ms={run.durationMs} />}</Tile>
        <Tile name="cost">
          {run.isLive && totals.pass + totals.fail + totals.error === 0 ? '…' : <Money usd={wholeCost(cost)} />}
        </Tile>
        <TokensTile tokens={run.tokens} />
      </div>
      {!run.isLive && (
        <Disclosure
          summary={
            <>
              {run.reason}{' '}
              <span className="text-xs text-muted">
                {run.passRate ? `pass rate ${rateText(run.passRate)}${ratedText(run)}` : 'figures are computed …'}
              </span>
            </>
          }
        >
          <TotalsDetail run={run} cost={cost} />
        </Disclosure>
      )}
    </section>
  );
}

/** Details of the figures: trials that were left out, and the parts of the judge. */
function TotalsDetail({ run, cost }: { run: ShownRun; cost: ShownRun['cost'] }) {
  const { passRate, judge, tokens, totals, marks, ratedMarks, cases } = run;
  const leftOut = ratedMarks ? leftOutText({ totals, marks, ratedMarks }) : '';
  const lines = [
    ...(passRate && passRate.rate !== null && cases ? [judgedText(passRate), casesText({ cases })] : []),
    ...(leftOut === '' ? [] : [`not counted: ${leftOut}`]),
    `cost: ${costSumText(cost)}`,
    ...(wholeUsage(tokens) || tokens.unknownTrials > 0 ? [`tokens: ${tokenSumText(tokens)}`] : []),
    ...(judge ? [`judge: ${costSumText(judge.cost)}; ${tokenSumText(judge.tokens)}`] : []),
  ];
  return (
    <ul className="flex flex-col gap-0.5 text-xs text-muted tabular-nums">
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
}

function Tile({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="px-2 py-1">
      <p className="text-xs text-muted">{name}</p>
      <p className="text-lg font-semibold tabular-nums">{children}</p>
    </div>
  );
}

interface OutcomeTileProps {
  readonly outcome: (typeof outcomes)[number]['outcome'];
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
      title={`Show only ${wordOf[outcome]} trials`}
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
      {notJudged > 0 && <span className="block text-2xs text-error">{notJudged} not fully judged</span>}
    </button>
  );
}

function TokensTile({ tokens }: Pick<ShownRun, 'tokens'>) {
  const usage = wholeUsage(tokens);
  return (
    <Tile name="tokens">
      <Count value={usage && usage.inputTokens + usage.outputTokens} />
    </Tile>
  );
}
