import type { EventBlock } from '../../../../../src/report/presentation/shown-event.ts';
import { DiffBlock } from '../../../kit/diff-block.tsx';
import type { Wanted } from './find-marks.ts';
import { LongText } from './long-text.tsx';

/** What stands behind an event: its input, what it printed, its diff. */
export function EventBlocks({ blocks, wanted }: { blocks: readonly EventBlock[]; wanted: Wanted | undefined }) {
  return (
    <div className="flex flex-col gap-2">
      {blocks.map(({ label, text, isDiff }, index) => (
        <div key={`${index + 1} ${label}`} className="min-w-0">
          {label !== '' && <div className="mb-0.5 text-2xs tracking-wide text-muted uppercase">{label}</div>}
          {isDiff ? <DiffBlock text={text} /> : <LongText text={text} label={label || 'text'} wanted={wanted} />}
        </div>
      ))}
    </div>
  );
}
