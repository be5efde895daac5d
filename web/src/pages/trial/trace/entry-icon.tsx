import {
  Bot,
  Brain,
  Coins,
  FileDiff,
  FolderOpen,
  Info,
  type LucideIcon,
  MessageSquare,
  Plug,
  Reply,
  Shapes,
  Terminal,
  UserRound,
  Wrench,
} from 'lucide-react';
import type { TraceEvent } from '../../../../../src/domain/trace.ts';

const icons: Readonly<Record<TraceEvent['type'], LucideIcon>> = {
  message: MessageSquare,
  reasoning: Brain,
  'tool-call': Wrench,
  'tool-result': Reply,
  output: Terminal,
  command: Terminal,
  script: Terminal,
  usage: Coins,
  'agent-started': Bot,
  'agent-ended': Bot,
  workspace: FolderOpen,
  'file-change': FileDiff,
  turn: Reply,
  'mcp-server': Plug,
  'mcp-exchange': Plug,
  'mcp-test': Plug,
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
