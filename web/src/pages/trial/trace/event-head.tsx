import {
  AppWindow,
  BookOpen,
  Bot,
  Brain,
  ChevronRight,
  Coins,
  CornerDownRight,
  Database,
  Disc3,
  Eye,
  EyeOff,
  FileDiff,
  FlaskConical,
  FolderOpen,
  Gauge,
  Info,
  type LucideIcon,
  MessageSquare,
  Plug,
  Radio,
  Reply,
  Shapes,
  Terminal,
  UserRound,
  Wrench,
} from 'lucide-react';
import type { TraceEvent } from '../../../../../src/domain/trace.ts';
import { formatDuration, unknownFigure } from '../../../../../src/shared/format.ts';
import { Badge } from '../../../kit/badge.tsx';
import { classes } from '../../../kit/classes.ts';
import { MarkedText } from './long-text.tsx';
import { findMarks, type Wanted } from './marks.ts';
import type { TimelineEntry } from './timeline.ts';

/** When something began and how long it took, on the time of the whole trial. */
function DurationBar({ startMs, durationMs, lengthMs }: { startMs: number; durationMs: number; lengthMs: number }) {
  const share = (ms: number): number => Math.min(100, Math.max(0, (ms / Math.max(lengthMs, 1)) * 100));
  const x = Math.min(share(startMs), 98);
  return (
    <span className="flex shrink-0 items-center gap-2 text-xs text-muted tabular-nums">
      <svg
        viewBox="0 0 100 6"
        preserveAspectRatio="none"
        aria-hidden="true"
        className="hidden h-1.5 w-16 rounded-full bg-raised sm:block"
      >
        <rect
          x={x}
          y={0}
          width={Math.max(2, Math.min(share(durationMs), 100 - x))}
          height={6}
          className="fill-accent"
        />
      </svg>
      <span className="w-14 text-right">{formatDuration(durationMs)}</span>
    </span>
  );
}

/** An answer or a script without a time, such as one of an imported trace. */
export function UnknownDuration() {
  return (
    <span title="Its length is not known" className="text-xs text-muted">
      {unknownFigure}
    </span>
  );
}

const icons: Readonly<Record<TraceEvent['type'], LucideIcon>> = {
  message: MessageSquare,
  reasoning: Brain,
  'tool-call': Wrench,
  'tool-result': Reply,
  output: Terminal,
  command: Terminal,
  script: Terminal,
  usage: Coins,
  'model-call': Radio,
  'agent-started': Bot,
  view: Eye,
  'agent-ended': Bot,
  workspace: FolderOpen,
  'file-change': FileDiff,
  'state-change': Database,
  'page-state': AppWindow,
  turn: Reply,
  'approval-policy': Info,
  approval: UserRound,
  'simulated-user': UserRound,
  'user-call': Wrench,
  'conversation-ended': Info,
  'mcp-server': Plug,
  'mcp-exchange': Plug,
  'surface-call': Plug,
  'tool-control': FlaskConical,
  attack: FlaskConical,
  'secret-seen': FlaskConical,
  'request-watch': FlaskConical,
  'tool-tape': FlaskConical,
  'mcp-notification': Plug,
  'mcp-test': Plug,
  'server-performance': Gauge,
  instructions: BookOpen,
  harness: Bot,
  gap: EyeOff,
  notice: Info,
  reports: Info,
  other: Shapes,
};

/** The sign of an event; a message has that of who speaks. */
export function EntryIcon({ event, isProblem }: { event: TraceEvent; isProblem: boolean }) {
  const speaker = event.type === 'message' ? { user: UserRound, assistant: Bot, system: Info }[event.role] : undefined;
  const Icon = speaker ?? icons[event.type] ?? Shapes;
  return <Icon size={14} aria-hidden className={isProblem ? 'shrink-0 text-fail' : 'shrink-0 text-muted'} />;
}

/** Who can have seen an event. */
export const observers = {
  agent: { Sign: Bot, role: 'reported by the agent' },
  recorder: { Sign: Disc3, role: 'seen at the tool' },
  gateway: { Sign: Radio, role: 'seen between agent and model' },
  engine: { Sign: FlaskConical, role: 'done by Assay' },
} as const;

/** The source of an event: the agent reported it, the recorder or the gateway observed it, or Assay did it itself. */
function SeenBy({ who }: { who: TraceEvent['seenBy'] }) {
  const { Sign } = observers[who];
  return (
    <span title={`Seen by the ${who}`} className="text-muted">
      <Sign size={13} aria-hidden />
      <span className="sr-only">seen by the {who}</span>
    </span>
  );
}

export interface EventHeadProps {
  readonly entry: TimelineEntry;
  readonly event: TraceEvent;
  readonly isOpen: boolean;
  readonly lengthMs: number;
  readonly wanted: Wanted | undefined;
  readonly isSelected: boolean;
  readonly onToggle: () => void;
}

/** The line of an event, which opens what stands behind it. */
export function EventHead(props: EventHeadProps) {
  if (props.entry.blocks.length === 0) return <HeadLine {...props} isOpenable={false} />;
  return (
    <button
      type="button"
      tabIndex={props.isSelected ? 0 : -1}
      aria-expanded={props.isOpen}
      onClick={props.onToggle}
      className="-mx-1 rounded px-1 text-left hover:bg-raised/60"
    >
      <HeadLine {...props} isOpenable />
    </button>
  );
}

function HeadLine({ entry, event, isOpen, isOpenable, lengthMs, wanted }: EventHeadProps & { isOpenable: boolean }) {
  const { label, name, line, answer, answeredBy, ending, isProblem, durationMs, startMs, seenBy, look } = entry;
  const isSpeechShown = look === 'speech' && isOpen;
  const isCode = look === 'call' || look === 'command';
  const isNamed = name !== undefined || event.type === 'command';
  return (
    <span className="flex min-w-0 flex-col">
      <span className="flex min-h-5 min-w-0 items-center gap-1.5">
        <EntryIcon event={event} isProblem={isProblem} />
        <EntryLabel label={label} look={look} isNamed={isNamed} />
        {name !== undefined && (
          <span className="max-w-[45%] shrink-0 truncate font-mono text-xs font-semibold">{name}</span>
        )}
        {!isSpeechShown && (
          <span
            className={classes(
              'min-w-0 truncate',
              isCode ? 'font-mono text-xs' : 'text-sm',
              look === 'mark' && 'text-muted',
            )}
          >
            {look === 'command' && <span className="text-muted">$ </span>}
            <MarkedLine text={line} wanted={wanted} />
          </span>
        )}
        {answeredBy !== undefined && <Badge tone="warn">{answeredBy}</Badge>}
        {ending !== undefined && <Badge tone={isProblem ? 'bad' : 'neutral'}>{ending}</Badge>}
        <span className="ml-auto flex shrink-0 items-center gap-2 pl-1">
          {durationMs !== undefined && durationMs > 0 && (
            <DurationBar startMs={startMs} durationMs={durationMs} lengthMs={lengthMs} />
          )}
          {durationMs === undefined && (answer !== undefined || event.type === 'script') && <UnknownDuration />}
          <SeenBy who={seenBy} />
          {isOpenable && (
            <ChevronRight
              size={13}
              aria-hidden
              className={classes('shrink-0 text-muted transition-transform', isOpen && 'rotate-90')}
            />
          )}
        </span>
      </span>
      {answer !== undefined && !isOpen && (
        <span className="flex min-w-0 items-center gap-1.5 pl-5 text-xs text-muted">
          <CornerDownRight size={12} aria-hidden className="shrink-0" />
          <span className={classes('truncate font-mono', isProblem && 'text-fail')}>
            <MarkedLine text={answer} wanted={wanted} />
          </span>
        </span>
      )}
    </span>
  );
}

interface EntryLabelProps extends Pick<TimelineEntry, 'label' | 'look'> {
  readonly isNamed: boolean;
}

/** The kind of an event; what Assay injected stands out. */
function EntryLabel({ label, look, isNamed }: EntryLabelProps) {
  if (look === 'injected') return <Badge tone="warn">{label}</Badge>;
  const place = isNamed ? 'sr-only' : 'shrink-0 text-xs';
  return <span className={classes(place, look === 'speech' ? 'font-semibold' : 'text-muted')}>{label}</span>;
}

export function MarkedLine({ text, wanted }: { text: string; wanted: Wanted | undefined }) {
  return <MarkedText text={text} marks={wanted ? findMarks(text, wanted) : []} />;
}
