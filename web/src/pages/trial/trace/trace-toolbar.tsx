import {
  ChartNoAxesGantt,
  ChevronDown,
  ChevronsDownUp,
  ChevronsUpDown,
  ChevronUp,
  List,
  MessagesSquare,
} from 'lucide-react';
import type { ReactNode } from 'react';
import { counted, grouped } from '../../../../../src/shared/format.ts';
import { Badge } from '../../../kit/badge.tsx';
import { Button } from '../../../kit/button.tsx';
import { classes } from '../../../kit/classes.ts';
import { Disclosure, Segments } from '../../../kit/disclosure.tsx';
import { SearchInput } from '../../../kit/text-input.tsx';
import { observers } from './event-head.tsx';
import { eventGroups, type TraceViewKind } from './timeline.ts';

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
        <Segments label="How the trace is drawn" choices={views} value={props.view} onChange={props.onView} />
        <GroupFilter groups={props.groups} onGroups={props.onGroups} />
      </div>
      <TraceLegend />
    </div>
  );
}

function GroupFilter({ groups, onGroups }: Pick<TraceToolbarProps, 'groups' | 'onGroups'>) {
  const toggle = (key: string): void =>
    onGroups(groups.includes(key) ? groups.filter((other) => other !== key) : [...groups, key]);
  return (
    <fieldset className="flex min-w-0 flex-wrap gap-1">
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

const views = [
  { key: 'list', label: 'List', icon: <List size={13} aria-hidden /> },
  { key: 'waterfall', label: 'Waterfall', icon: <ChartNoAxesGantt size={13} aria-hidden /> },
  { key: 'chat', label: 'Chat', icon: <MessagesSquare size={13} aria-hidden /> },
] as const;

/** Explains the signs and colours of the trace. */
function TraceLegend() {
  return (
    <div className="text-xs text-muted">
      <Disclosure summary="Legend">
        <ul className="flex flex-wrap gap-x-4 gap-y-1">
          {Object.entries(observers).map(([who, { Sign, role }]) => (
            <Item key={who} sign={<Sign size={13} aria-hidden />}>
              {who}: {role}
            </Item>
          ))}
          <Item sign={<Badge tone="bad">exit 1</Badge>}>failed</Item>
          <Item sign={<Badge tone="warn">mock</Badge>}>Assay answered, broke or planted it</Item>
          <Item sign={<span className="inline-block h-4 shrink-0 border-l-2 border-edge" />}>
            indented: recorded of the agent’s call above it; what no call is known for stands by itself
          </Item>
          <Item sign={<span className="inline-block h-2 w-6 shrink-0 rounded-xs bg-accent" />}>
            from start to end; a thin line: its length is not known
          </Item>
        </ul>
      </Disclosure>
    </div>
  );
}

function Item({ sign, children }: { sign: ReactNode; children: ReactNode }) {
  return (
    <li className="flex items-center gap-1.5">
      <span aria-hidden>{sign}</span>
      <span>{children}</span>
    </li>
  );
}
