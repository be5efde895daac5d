import { Bot, Cog, Disc3 } from 'lucide-react';
import type { TraceEvent } from '../../../../../src/domain/trace.ts';

const signs = { agent: Bot, recorder: Disc3, engine: Cog } as const;

/** Who saw an event: the agent tells of it, the recorder at the tool saw it, or Assay did it itself. */
export function SeenBy({ who }: { who: TraceEvent['seenBy'] }) {
  const Sign = signs[who];
  return (
    <span title={`Seen by the ${who}`} className="text-muted">
      <Sign size={13} aria-hidden />
      <span className="sr-only">seen by the {who}</span>
    </span>
  );
}
