import {
  ChartNoAxesGantt,
  ChevronDown,
  ChevronsDownUp,
  ChevronsUpDown,
  ChevronUp,
  List,
  type LucideIcon,
  MessagesSquare,
} from 'lucide-react';
import { counted, grouped } from '../../../../../src/shared/format.ts';
import { Button } from '../../../kit/button.tsx';
import { classes } from '../../../kit/classes.ts';
import { useOverflow } from '../../../kit/scroll-box.tsx';
import { SearchInput } from '../../../kit/text-input.tsx';
import { eventGroups, type TraceViewKind } from './timeline.ts';
import { TraceLegend } from './trace-legend.tsx';

interface TraceToolbarProps {
  readonly total: number;
  readonly shown: number;
  readonly isShownComplete: boolean;
  readonly find: string;
  readonly hits: { readonly count: number; readonly number: number; readonly isComplete: boolean } | undefined;
  readonly groups: readonly string[];
  readonly view: TraceViewKind;
  readonly onFind: (text: string) => void;
  readonly onStep: (direction: 1 | -1, text: string) => void;
  readonly onView: (view: TraceViewKind) => void;
  readonly onHit: (direction: 1 | -1) => void;
  readonly onGroups: (groups: readonly string[]) => void;
  readonly onOpenAll: () => void;
  readonly onCloseAll: () => void;
}

/** Looks for words in the trace, hides kinds of events, opens and closes all. */
export function TraceToolbar(props: TraceToolbarProps) {
  const { find, hits } = props;
  return (
    <div className="flex flex-col gap-2 border-b border-line p-3">
      <div className="flex flex-wrap items-center gap-2">
        <SearchInput value={find} onChange={props.onFind} onStep={props.onStep} placeholder="Search the trace" />
        <Button
          size="sm"
          aria-label="Previous hit"
          title="Previous hit (N, or Shift+Enter in the field)"
          disabled={!hits?.count}
          onClick={() => props.onHit(-1)}
          icon={<ChevronUp size={14} aria-hidden />}
        />
        <Button
          size="sm"
          aria-label="Next hit"
          title="Next hit (n, or Enter in the field)"
          disabled={!hits?.count}
          onClick={() => props.onHit(1)}
          icon={<ChevronDown size={14} aria-hidden />}
        />
        <span role="status" className="text-xs text-muted tabular-nums">
          {find === '' ? countText(props) : hitsText(props)}
        </span>
        <span className="ml-auto flex gap-1">
          <Button
            size="sm"
            variant="ghost"
            aria-label="Open all"
            title="Open all"
            onClick={props.onOpenAll}
            icon={<ChevronsUpDown size={14} aria-hidden />}
          />
          <Button
            size="sm"
            variant="ghost"
            aria-label="Close all"
            title="Close all"
            onClick={props.onCloseAll}
            icon={<ChevronsDownUp size={14} aria-hidden />}
          />
        </span>
      </div>
      <div className="flex flex-wrap items-start gap-2">
        <ViewChoice view={props.view} onView={props.onView} />
        <GroupFilter groups={props.groups} onGroups={props.onGroups} />
      </div>
      <TraceLegend />
    </div>
  );
}

function GroupFilter({ groups, onGroups }: Pick<TraceToolbarProps, 'groups' | 'onGroups'>) {
  const toggle = (key: string): void =>
    onGroups(groups.includes(key) ? groups.filter((other) => other !== key) : [...groups, key]);
  const [ref] = useOverflow<HTMLFieldSetElement>();
  return (
    <fieldset ref={ref} className="relative flex min-w-0 flex-1 gap-1 overflow-x-auto">
      <legend className="sr-only">Kinds of events that are shown</legend>
      {eventGroups.map(({ key, label }) => (
        <button
          key={key}
          type="button"
          aria-pressed={groups.includes(key)}
          onClick={() => toggle(key)}
          className={classes(
            'shrink-0 rounded-full border px-2 py-0.5 text-xs',
            groups.includes(key)
              ? 'border-accent bg-accent-ground text-accent'
              : 'border-line text-muted hover:text-ink',
          )}
        >
          {label}
        </button>
      ))}
    </fieldset>
  );
}

function countText({ total, shown, isShownComplete }: TraceToolbarProps): string {
  if (shown === total) return counted(total, 'event');
  return `${isShownComplete ? '' : 'the first '}${grouped(shown)} of ${counted(total, 'event')}`;
}

function hitsText({ hits, total }: TraceToolbarProps): string {
  if (!hits) return 'searching …';
  if (hits.count === 0) return `not found in ${counted(total, 'event')}`;
  const found = `${grouped(hits.count)}${hits.isComplete ? '' : '+'}`;
  return hits.number > 0
    ? `hit ${grouped(hits.number)} of ${found} in ${counted(total, 'event')}`
    : `${found} of ${counted(total, 'event')}`;
}

const views: readonly { readonly kind: TraceViewKind; readonly label: string; readonly Icon: LucideIcon }[] = [
  { kind: 'list', label: 'List', Icon: List },
  { kind: 'waterfall', label: 'Waterfall', Icon: ChartNoAxesGantt },
  { kind: 'chat', label: 'Chat', Icon: MessagesSquare },
];

function ViewChoice({ view, onView }: Pick<TraceToolbarProps, 'view' | 'onView'>) {
  return (
    <fieldset className="flex shrink-0 overflow-hidden rounded-md border border-line">
      <legend className="sr-only">How the trace is drawn</legend>
      {views.map(({ kind, label, Icon }) => (
        <button
          key={kind}
          type="button"
          aria-pressed={view === kind}
          onClick={() => onView(kind)}
          className={classes(
            'inline-flex items-center gap-1 border-l border-line px-2 py-0.5 text-xs -outline-offset-2 first-of-type:border-l-0',
            view === kind ? 'bg-accent-ground text-accent' : 'text-muted hover:text-ink',
          )}
        >
          <Icon size={13} aria-hidden />
          {label}
        </button>
      ))}
    </fieldset>
  );
}
