import { Ban, Check, MessageSquarePlus, TriangleAlert, X } from 'lucide-react';
import { allMarks, type Mark } from '../../../../../src/domain/marks.ts';
import type { Outcome } from '../../../../../src/domain/outcome.ts';
import { variantLabel, variantText } from '../../../../../src/domain/variant-text.ts';
import type { GridArm } from '../../../../../src/entry/server/api/grid.ts';
import { figureText } from '../../../../../src/report/presentation/figures.ts';
import { plainOutput, trialTitle } from '../../../../../src/report/presentation/trial-text.ts';
import { grouped } from '../../../../../src/shared/format.ts';
import { Badge } from '../../../kit/badge.tsx';
import { classes } from '../../../kit/classes.ts';
import { Duration, Money } from '../../../kit/figures.tsx';
import { QuickLink } from '../../../kit/quick-link.tsx';
import { ownPage, useTrialChoice } from '../trial-choice.tsx';
import { type GridColumn, type GridLine, variablesIn } from './grid-columns.ts';

/** The case, which shows its example, and opens it where it is shown already; further lines of the case say it to screen readers only. */
export function CaseCell({ line: { row, arm, isFirst }, isChosen }: { line: GridLine; isChosen: boolean }) {
  const { linkTo, chosen } = useTrialChoice();
  const title = trialTitle({ ...row, variant: {}, repeat: 1 });
  const marks = marksIn(arm);
  const isAlone = row.arms.length === 1;
  return (
    <>
      <QuickLink
        link={(chosen === arm.trialId ? ownPage : linkTo)(arm.trialId)}
        data-row-link=""
        aria-current={isChosen || undefined}
        title={title}
        className="rounded text-sm font-medium hover:underline"
      >
        <span className={isFirst ? `${isAlone ? 'line-clamp-2' : 'line-clamp-1'} break-words` : 'sr-only'}>
          {title}
        </span>
        {!isAlone && (
          <span className="block truncate text-xs font-normal text-muted">
            {variantText(arm.variant) || 'same case'}
          </span>
        )}
      </QuickLink>
      {marks.length > 0 && (
        <span className="flex flex-wrap gap-1">
          {marks.map((mark) => (
            <Badge key={mark} tone="warn">
              {mark}
            </Badge>
          ))}
        </span>
      )}
    </>
  );
}

/** Marks of the trials of the case. */
function marksIn({ trials }: GridArm): readonly Mark[] {
  return allMarks.filter((mark) => trials.some(({ marks }) => marks.includes(mark)));
}

const dots: Readonly<Record<Outcome, { readonly Sign: typeof Check; readonly look: string; readonly word: string }>> = {
  pass: { Sign: Check, look: 'bg-pass-ground text-pass', word: 'passed' },
  fail: { Sign: X, look: 'bg-fail-ground text-fail', word: 'failed' },
  error: { Sign: TriangleAlert, look: 'bg-error-ground text-error', word: 'could not be judged' },
  skipped: { Sign: Ban, look: 'bg-raised text-muted', word: 'was skipped' },
};

/** More repeats than fit on a line are counted. */
const mostDots = 8;

/** One dot for each trial, by colour, sign and word. */
export function TrialDots({ arm: { trials } }: { arm: GridArm }) {
  const { linkTo } = useTrialChoice();
  const drawn = trials.length > mostDots ? trials.slice(0, mostDots - 1) : trials;
  const passed = trials.filter(({ outcome }) => outcome === 'pass').length;
  return (
    <span className="flex flex-wrap items-center gap-1">
      {drawn.map(({ trialId, repeat, outcome, marks }) => {
        const { Sign, look, word } = dots[outcome];
        const title = [`Repeat ${repeat} ${word}`, ...marks].join(', ');
        return (
          <QuickLink
            key={trialId}
            link={linkTo(trialId)}
            aria-label={title}
            title={title}
            className={classes(
              'inline-flex size-5 items-center justify-center rounded-full hover:ring-1 hover:ring-edge',
              look,
            )}
          >
            <Sign size={11} aria-hidden strokeWidth={3} />
          </QuickLink>
        );
      })}
      {trials.length > mostDots && (
        <span className="text-2xs text-muted tabular-nums">
          {grouped(passed)} of {grouped(trials.length)} passed
        </span>
      )}
    </span>
  );
}

interface ColumnCellProps {
  readonly column: GridColumn;
  readonly line: GridLine;
  readonly onRate: (line: GridLine) => void;
}

export function ColumnCell({ column: { key }, line, onRate }: ColumnCellProps) {
  const { row, arm, isFirst } = line;
  switch (key) {
    case 'input':
      return isFirst && <TextCell text={row.input} trialId={arm.trialId} />;
    case 'expected':
      return isFirst && <TextCell text={row.expected} trialId={arm.trialId} />;
    case 'answer':
      return <TextCell text={arm.answer} trialId={arm.trialId} missing={arm.reason} />;
    case 'variant':
      return <span className="line-clamp-2 text-muted">{variantLabel(arm.variant)}</span>;
    case 'duration':
      return <Duration ms={arm.durationMs} />;
    case 'cost':
      return <Money usd={arm.costUsd} />;
    case 'label':
      return <RateCell line={line} onRate={onRate} />;
    default:
      if (key.startsWith('v:'))
        return isFirst && <TextCell text={variablesIn(row.input)[key.slice(2)] ?? null} trialId={arm.trialId} />;
      return key.startsWith('e:') ? (
        <VerdictCell arm={arm} name={key.slice(2)} />
      ) : (
        <FigureCell arm={arm} name={key.slice(2)} />
      );
  }
}

/** A text that opens its trial; without one, why there is none. */
function TextCell({ text, trialId, missing }: { text: string | null; trialId: string; missing?: string }) {
  const { linkTo } = useTrialChoice();
  return (
    <QuickLink
      link={linkTo(trialId)}
      title={text ?? missing}
      className="line-clamp-2 rounded break-words hover:underline"
    >
      {text === null ? (
        <span className="text-muted">{missing === undefined ? '–' : `No answer: ${missing}`}</span>
      ) : (
        plainOutput(text)
      )}
    </QuickLink>
  );
}

function VerdictCell({ arm, name }: { arm: GridArm; name: string }) {
  const { linkTo } = useTrialChoice();
  const verdicts = arm.evaluators[name];
  if (!verdicts) return <Unknown />;
  const { pass, fail, error, skipped, trialId } = verdicts;
  const state: Outcome = fail > 0 ? 'fail' : error > 0 ? 'error' : pass > 0 ? 'pass' : 'skipped';
  const { Sign, look } = dots[state];
  const all = pass + fail + error + skipped;
  const words = `${pass} passed, ${fail} failed, ${error} not judged, ${skipped} skipped`;
  return (
    <QuickLink
      link={linkTo(trialId)}
      title={words}
      className={classes(
        'inline-flex items-center gap-1 rounded px-1.5 py-0.5 tabular-nums hover:ring-1 hover:ring-edge',
        look,
      )}
    >
      <Sign size={11} aria-hidden strokeWidth={3} />
      <span className="sr-only">{name}: </span>
      {all === 1 ? state : `${grouped(pass)}/${grouped(all)}`}
    </QuickLink>
  );
}

function FigureCell({ arm, name }: { arm: GridArm; name: string }) {
  const { linkTo } = useTrialChoice();
  const figure = arm.metrics[name];
  if (!figure || figure.mean === null) return <Unknown />;
  const isPartial = figure.of < arm.trials.length;
  return (
    <QuickLink
      link={linkTo(figure.trialId)}
      title={arm.trials.length === 1 ? name : `Mean of ${figure.of} of ${arm.trials.length} trials`}
      className="rounded tabular-nums hover:underline"
    >
      {figureText(figure.mean)}
      {isPartial && <span className="text-muted"> (of {grouped(figure.of)})</span>}
    </QuickLink>
  );
}

function Unknown() {
  return (
    <span className="text-muted" title="not observed">
      –
    </span>
  );
}

function RateCell({ line, onRate }: { line: GridLine; onRate: (line: GridLine) => void }) {
  const labels = line.arm.trials.flatMap(({ label }) => label ?? []);
  const notes = line.arm.trials.flatMap(({ note }) => note ?? []);
  const title = trialTitle({ ...line.row, variant: line.arm.variant, repeat: 1 });
  return (
    <button
      type="button"
      title={notes.join('\n') || 'Rate and comment'}
      onClick={() => onRate(line)}
      className="inline-flex max-w-full items-center gap-1 rounded px-1 py-0.5 text-muted hover:bg-raised hover:text-ink"
    >
      <span className="sr-only">Rate {title}</span>
      {labels.length === 0 && <MessageSquarePlus size={14} aria-hidden />}
      {labels.map((label, index) => {
        const { Sign, look } = dots[label];
        return (
          <span
            key={`${index + 1}`}
            className={classes('inline-flex size-4 items-center justify-center rounded-full', look)}
          >
            <Sign size={10} aria-hidden strokeWidth={3} />
            <span className="sr-only">{label}</span>
          </span>
        );
      })}
      <span className="truncate">{notes[0] ?? ''}</span>
    </button>
  );
}
