import type { ReactNode } from 'react';
import type { Agreement } from '../../../../src/entry/server/api/review.ts';
import { percentText } from '../../../../src/report/presentation/figures.ts';
import { counted, grouped } from '../../../../src/shared/format.ts';
import { classes } from '../../kit/classes.ts';

type Judge = Agreement['judges'][number];
type Rate = Judge['agreement'];

const enough = 30;

/** Agreement in figures, each with the range that it may lie in. */
export function JudgeFigures({ judge }: { judge: Judge }) {
  const { kappa, agreement, falsePasses, falseFails, compared, unanswered, alpha } = judge;
  return (
    <div className="grid items-start gap-x-8 gap-y-4 md:grid-cols-[minmax(0,1fr)_auto]">
      <dl className="grid grid-cols-2 gap-x-6 gap-y-3 xl:grid-cols-4">
        <Figure name="Agreement" detail={rateDetail(agreement)}>
          {rateText(agreement)}
        </Figure>
        <Figure
          name="Kappa"
          detail={kappa === null ? 'needs both answers' : `${signed(kappa.low)} to ${signed(kappa.high)}`}
        >
          {kappa === null ? '–' : signed(kappa.value)}
        </Figure>
        <Figure name="False passes" detail={rateDetail(falsePasses)} isBad={falsePasses.count > 0}>
          {rateText(falsePasses)}
        </Figure>
        <Figure name="False fails" detail={rateDetail(falseFails)}>
          {rateText(falseFails)}
        </Figure>
        <AlphaFigure name="Alpha, people" alpha={alpha.people} />
        <AlphaFigure name="Alpha, judges" alpha={alpha.judges} />
        {(alpha.people ?? alpha.judges) !== null && <AlphaFigure name="Alpha, all" alpha={alpha.all} />}
      </dl>
      <p className="row-start-2 text-xs text-muted">
        {counted(compared, 'label')} compared
        {unanswered > 0 && `, ${grouped(unanswered)} that the judge did not answer`}.
        {compared < enough && ` Fewer than ${enough} labels: read the ranges rather than the figures.`}
      </p>
      <ConfusionTable judge={judge} />
    </div>
  );
}

/** Agreement of several raters; absent where there are none. */
function AlphaFigure({ name, alpha }: { name: string; alpha: Judge['alpha']['all'] }) {
  if (alpha === null) return null;
  return (
    <Figure name={name} detail={`${signed(alpha.low)} to ${signed(alpha.high)}; ${counted(alpha.units, 'trial')}`}>
      {signed(alpha.value)}
    </Figure>
  );
}

function Figure({
  name,
  detail,
  isBad = false,
  children,
}: {
  name: string;
  detail: string;
  isBad?: boolean;
  children: ReactNode;
}) {
  return (
    <div>
      <dt className="text-xs text-muted">{name}</dt>
      <dd>
        <span className={classes('block text-lg font-semibold tabular-nums', isBad && 'text-fail')}>{children}</span>
        <span className="block text-2xs text-muted tabular-nums">{detail}</span>
      </dd>
    </div>
  );
}

/** The confusion matrix; agreements stand on the diagonal. */
function ConfusionTable({ judge: { confusion } }: { judge: Judge }) {
  const { bothPass, bothFail, judgePassHumanFail, judgeFailHumanPass } = confusion;
  return (
    <table className="border-collapse text-sm tabular-nums">
      <caption className="sr-only">Labels of people and verdicts of the judge</caption>
      <thead>
        <tr className="text-xs text-muted">
          <td className="px-3 py-1" />
          <th scope="col" className="px-3 py-1 font-medium">
            judge: pass
          </th>
          <th scope="col" className="px-3 py-1 font-medium">
            judge: fail
          </th>
        </tr>
      </thead>
      <tbody>
        <ConfusionRow name="you: pass" cells={[bothPass, judgeFailHumanPass]} agreesAt={0} />
        <ConfusionRow name="you: fail" cells={[judgePassHumanFail, bothFail]} agreesAt={1} />
      </tbody>
    </table>
  );
}

function ConfusionRow({ name, cells, agreesAt }: { name: string; cells: readonly number[]; agreesAt: number }) {
  return (
    <tr>
      <th scope="row" className="px-3 py-1 text-right text-xs font-medium text-muted">
        {name}
      </th>
      {cells.map((count, index) => (
        <td
          key={index === agreesAt ? 'same' : 'other'}
          className={classes(
            'border border-line px-3 py-1.5 text-center',
            index === agreesAt ? 'bg-pass-ground' : count > 0 ? 'bg-fail-ground font-semibold' : '',
          )}
        >
          {grouped(count)}
        </td>
      ))}
    </tr>
  );
}

function rateText({ count, of }: Rate): string {
  return of === 0 ? '–' : percentText(count / of);
}

function rateDetail({ count, of, low, high }: Rate): string {
  return of === 0 ? 'nothing to compare' : `${count} of ${of}; ${percentText(low)} to ${percentText(high)}`;
}

function signed(value: number): string {
  return value.toFixed(2).replace('-', '−');
}
